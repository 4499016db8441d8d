/*
 * Finds the groups of all files of an index without their pairs, and returns each group when it is
 * finished:
 *
 *     status = group_stream_begin(&stream, finder, linkage, &error);
 *     while (status == 0 && (taken = group_stream_next(stream, &groups, &error)) == 1) {
 *             ...
 *             group_list_release(&groups);
 *     }
 *     group_stream_free(stream);
 *
 * Memory holds the rows within reach of each other, and the groups that have such rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_STREAM_H
#define SIMHASH_FIND_GROUP_STREAM_H

#include "find/groups/groups.h"

struct group_stream;

/*
 * Read all rows. The finder must stay valid until the end, but its connection is not needed after
 * this call.
 */
int group_stream_begin(struct group_stream **stream, struct finder *finder, enum linkage linkage,
		       struct simhash_error *error);

/*
 * At least one more group, unsorted and without numbers. Returns 1, 0 after the last one, or -1.
 * Any thread may call it; other threads wait meanwhile. The finder counts the rows that were read.
 */
int group_stream_next(struct group_stream *stream, struct group_list *groups,
		      struct simhash_error *error);

void group_stream_free(struct group_stream *stream); /* also accepts NULL */

#endif
