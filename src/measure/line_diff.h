/*
 * Marks the lines that only one of two texts has, as diff(1) shows them. The search is the same as
 * in lcs.c (E. Myers, 1986), but also records its path.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_LINE_DIFF_H
#define SIMHASH_MEASURE_LINE_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

/* A search for at most `most` differences takes memory for most * most numbers. */
#define LINE_DIFF_MOST 1000

struct line_diff {
	size_t lines_a, lines_b;
	uint8_t *is_changed_a, *is_changed_b; /* for each line: only this text has it */
};

/*
 * Returns 0; 1 if more than `most` lines are in only one text; or -1 if memory is short or there
 * are too many lines. Release the diff if it returns 0.
 */
int line_diff(const void *a, size_t a_bytes, const void *b, size_t b_bytes, unsigned most,
	      struct line_diff *diff, struct simhash_error *error);
void line_diff_release(struct line_diff *diff);

#endif
