/*
 * Cuts the pairs of logs into parts: no file of a part is in a pair with a file of another part, or
 * has the same content. So connected pairs can be processed one part at a time.
 *
 *     pair_parts_make(&parts, logs, log_count, part_bytes, &error);      // takes the logs over
 *     for (size_t i = 0; i < parts.count; i++)
 *             pair_parts_load(&parts, i, &list, &error);      // any thread
 *     pair_parts_release(&parts);
 *
 * If the logs are in memory, they are one part. Otherwise the parts are in a temporary file. Each
 * part contains complete sets of connected pairs, which may be larger than `part_bytes`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIR_PARTS_H
#define SIMHASH_FIND_PAIR_PARTS_H

#include "find/groups/pair_log.h"
#include "find/pairs/pairs.h"

struct pair_parts {
	size_t count;
	struct pair_log *logs; /* the logs of one part in memory */
	unsigned log_count;
	FILE *file;
	off_t *ends; /* the end of each part in the file */
};

/* Always release the parts, also after an error. */
int pair_parts_make(struct pair_parts *parts, struct pair_log *logs, unsigned log_count,
		    size_t part_bytes, struct simhash_error *error);

/* Add the pairs of a part to a list. */
int pair_parts_load(const struct pair_parts *parts, size_t number, struct pair_list *list,
		    struct simhash_error *error);

void pair_parts_release(struct pair_parts *parts);

#endif
