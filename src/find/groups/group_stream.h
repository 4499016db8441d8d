/*
 * Finds the groups of all files of an index without their pairs, and returns them as they are
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

/* Read all rows; the connection is not needed after that. Borrows the finder until the end. */
int group_stream_begin(struct group_stream **stream, struct finder *finder, enum linkage linkage,
		       struct simhash_error *error);

/*
 * Some groups more, at least one, in no order and without numbers: 1, 0 behind the last, -1. Any
 * thread; the others wait meanwhile. What was read is counted in the finder.
 */
int group_stream_next(struct group_stream *stream, struct group_list *groups,
		      struct simhash_error *error);

void group_stream_free(struct group_stream *stream); /* NULL is fine */

#endif
