/*
 * Finds the groups of all files of an index, in parts that fit into memory:
 *
 *     status = group_parts_find(&parts, finder, linkage, &error);
 *     while (status == 0 && (taken = group_parts_next(&parts, &groups, &error)) == 1) {
 *             ...
 *             group_list_release(&groups);
 *     }
 *     group_parts_release(&parts);
 *
 * Each group is in only one part. Groups that are found without pairs are returned when they are
 * finished.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_PARTS_H
#define SIMHASH_FIND_GROUP_PARTS_H

#include <stdatomic.h>

#include "find/groups/group_stream.h"
#include "find/groups/pair_parts.h"

struct group_parts {
	enum linkage linkage;
	struct find_request request; /* for the search for pairs */
	struct pair_parts pairs;
	struct group_stream *stream; /* for groups that are found without pairs; otherwise NULL */
	size_t count;		     /* the number of parts of pairs */
	atomic_size_t next;
};

/*
 * Search. The finder must stay valid until the release, but its connection is not needed after this
 * call. Always release the parts, also after an error.
 */
int group_parts_find(struct group_parts *parts, struct finder *finder, enum linkage linkage,
		     struct simhash_error *error);

/*
 * The groups of a part, unsorted and without numbers. Returns 1, 0 after the last part, or -1. Any
 * thread may call it.
 */
int group_parts_next(struct group_parts *parts, struct group_list *groups,
		     struct simhash_error *error);

void group_parts_release(struct group_parts *parts);

#endif
