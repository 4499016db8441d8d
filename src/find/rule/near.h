/*
 * Finds the rows that can be near to a given row. It compares sixteen rows at a time: first by sums
 * of one byte each, and if a row is near by its sums, by counts of 16 bits. The units of both are
 * large enough for the allowed difference to fit. Sums that do not fit into a byte are cut off,
 * which never makes a difference larger. Counts are modulo 2^16; a count that wraps around can add
 * a candidate, but never removes one. The same source is compiled for each instruction set that
 * makes it faster.
 *
 *     near_fn *next = near_choose();
 *     struct nearness near = nearness_of(&row->table, reach, power);
 *
 *     for (chunk = first; (mask = next(&rows, &near, &chunk, end)) != 0; chunk++)
 *             // row chunk * LANES + i can be near for each bit i of the mask
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_NEAR_H
#define SIMHASH_FIND_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

#define LANES 16
#define SUMS 8 /* each the sum of two tags */

/* For sixteen rows: the sums of two tags each, and the counts of all tags. */
struct near_rows {
	uint8_t (*sums)[LANES][SUMS]; /* the sums of one row are together: 64 bits */
	uint16_t (*tags)[SIMHASH_TAGS][LANES];
};

/* The same for one row, with the allowed difference in total. */
struct nearness {
	uint8_t sums[SUMS];
	uint16_t reach, tags[SIMHASH_TAGS], reach_of_tags;
};

/*
 * Looks from *chunk to `end` for sixteen rows with at least one that can be near. Returns a mask of
 * the near rows and sets *chunk, or returns 0 if there are no more.
 */
typedef unsigned near_fn(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			 size_t end);

/*
 * Return the power of a reach: the reach is in [2^(power - 1), 2^power). The power decides the unit
 * of the sums. Only rows of the same unit can be compared, so rows are stored by their power.
 */
unsigned power_of(int64_t reach); /* the reach is at least 1 */
#define POWERS 64

void near_rows_set(const struct near_rows *rows, size_t number,
		   const struct simhash_sum_table *table, unsigned power);

/* For rows within `reach` of a row, among rows of this power. */
struct nearness nearness_of(const struct simhash_sum_table *table, uint64_t reach, unsigned power);

/*
 * The sum of the counts with the signs of a row of the 16 x 16 Walsh-Hadamard matrix. The sums of
 * two rows differ by at most their distance. A sum that does not fit into 64 bits is cut off, which
 * never makes a difference larger.
 */
int64_t signed_sum(const struct simhash_sum_table *table, unsigned walsh_row);

/* The sums within `reach` of a sum, cut off in the same way. */
struct sum_range {
	int64_t low, high;
};
struct sum_range sums_within(int64_t sum, uint64_t reach);

/* The fastest function that the processor can run. */
near_fn *near_choose(void);

near_fn near_next_portable;
near_fn near_next_avx2; /* the processor must have the instructions of this and the next one */
near_fn near_next_avx512;

#endif
