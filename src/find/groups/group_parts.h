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
 * A group is in one part. Groups that are found without pairs come as they are finished.
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
	struct find_request request; /* of the search for pairs */
	struct pair_parts pairs;
	struct group_stream *stream; /* of those that are found without pairs, else NULL */
	size_t count;		     /* parts of pairs */
	atomic_size_t next;
};

/*
 * Search. The connection is not needed after that, but the finder until the release. To be released
 * whatever this returns.
 */
int group_parts_find(struct group_parts *parts, struct finder *finder, enum linkage linkage,
		     struct simhash_error *error);

/* The groups of a part, in no order and without numbers: 1, 0 behind the last, -1. Any thread. */
int group_parts_next(struct group_parts *parts, struct group_list *groups,
		     struct simhash_error *error);

void group_parts_release(struct group_parts *parts);

#endif
