/*
 * What lines of text about pairs are made of, as numbers: a label, and two paths. There are far
 * fewer labels and paths than lines, so lines are sorted and kept as numbers of 64 bits.
 *
 *     line_parts_number(parts, thread, pair, &number, &error);        // of every pair
 *     line_parts_rank(parts, &error);
 *     number = line_parts_ranked(parts, number);                      // now in the order of lines
 *     size = line_parts_write(parts, number, line);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_LINE_PARTS_H
#define SIMHASH_REPORT_LINE_PARTS_H

#include "find/rule/file.h"

struct line_parts;

/* Paths take about `bytes_max` at most. */
int line_parts_new(unsigned threads, size_t bytes_max, struct line_parts **parts,
		   struct simhash_error *error);
void line_parts_free(struct line_parts *parts); /* NULL is fine */

/*
 * The number of a pair's line: 1, or 0 when there are more labels or paths than are kept, or -1.
 * Several threads may ask at once, each by its own number.
 */
int line_parts_number(struct line_parts *parts, unsigned thread, const struct file_pair *pair,
		      uint64_t *number, struct simhash_error *error);

/*
 * When all pairs have their numbers: 1, and `line_parts_ranked` makes of each the one by whose order
 * lines of the same label stand in theirs; 0 where paths are such that parts do not tell; -1.
 */
int line_parts_rank(struct line_parts *parts, struct simhash_error *error);
uint64_t line_parts_ranked(const struct line_parts *parts, uint64_t number);

/* The line of a number, as the formatter writes it, of either kind. Returns its size. */
size_t line_parts_size(const struct line_parts *parts, uint64_t number);
size_t line_parts_write(const struct line_parts *parts, uint64_t number, char *line);

#endif
