/*
 * Pairs in the order of their lines of text, however many: 16 bytes each, in memory or in a
 * temporary file, and their lines put together at last. A list of pairs is mostly the same paths
 * again and again, so this is several times faster than sorting lines, and needs a tenth of the
 * room. Several threads may add pairs, each by its own number.
 *
 *     pair_sorter_new(threads, 64 << 20, 32 << 20, &sorter, &error);
 *     status = pair_sorter_add(sorter, thread, &pair, key, &error); // 0: not this one
 *     if (status == 0)
 *             pair_sorter_drain(sorter, add_line, context, &error);
 *     status = pair_sorter_write(sorter, write, context, &count, &error);
 *     if (status == 0)
 *             status = pair_sorter_drain(sorter, add_line, context, &error);
 *     pair_sorter_free(sorter);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_PAIR_SORTER_H
#define SIMHASH_REPORT_PAIR_SORTER_H

#include "find/rule/file.h"

struct pair_sorter;

/*
 * Pairs take at most about `memory_bytes`, and their paths `paths_bytes`: from the first pair on whose
 * paths do not fit, all have to be sorted as lines.
 */
int pair_sorter_new(unsigned threads, size_t memory_bytes, size_t paths_bytes,
		    struct pair_sorter **sorter, struct simhash_error *error);
void pair_sorter_free(struct pair_sorter *sorter); /* NULL is fine */

/* Take a pair with its key: 1, 0 when it has to be sorted as a line, -1. */
int pair_sorter_add(struct pair_sorter *sorter, unsigned thread, const struct file_pair *pair,
		    double key, struct simhash_error *error);

/* One line or more, whole. */
typedef int write_lines_fn(void *context, const char *lines, size_t size,
			   struct simhash_error *error);

/*
 * Hand on all lines by key, then by their bytes: 1; or 0, before the first, where pairs do not tell
 * the order of lines. By one thread, once, when all pairs were added and none was refused.
 */
int pair_sorter_write(struct pair_sorter *sorter, write_lines_fn *write, void *context,
		      uint64_t *count, struct simhash_error *error);

/*
 * Instead: hand on the line of each pair with its key, in any order, and free what they take; from then
 * on none is taken. Any thread, and several: others that add pairs or drain wait meanwhile.
 */
typedef int keyed_line_fn(void *context, double key, const char *line, size_t size,
			  struct simhash_error *error);
int pair_sorter_drain(struct pair_sorter *sorter, keyed_line_fn *each, void *context,
		      struct simhash_error *error);

#endif
