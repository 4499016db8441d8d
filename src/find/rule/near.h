/*
 * Finds the rows that can be near to a given row. It compares sixteen at a time by sums of a byte
 * each, and if any of them is near by these, by the counts of 16 bits. Both have units that make
 * the allowed difference fit. Sums that do not fit into a byte are cut off, which never makes a
 * difference larger. Counts are modulo 2^16; a count that wraps around adds a candidate, and never
 * loses one. The same text is compiled for each instruction set that makes it faster.
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
#define SUMS 8 /* of two tags each */

/* Of sixteen rows together: the sums of two tags each, and the counts of all tags. */
struct near_rows {
	uint8_t (*sums)[LANES][SUMS]; /* a row's together: 64 bits */
	uint16_t (*tags)[SIMHASH_TAGS][LANES];
};

/* The same of one row, and what they may differ by in all. */
struct nearness {
	uint8_t sums[SUMS];
	uint16_t reach, tags[SIMHASH_TAGS], reach_of_tags;
};

/*
 * From *chunk on and before `end` the next sixteen rows of which any can be near: which of them,
 * and *chunk is theirs; 0 when there are none.
 */
typedef unsigned near_fn(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			 size_t end);

/*
 * A reach in [2^(power - 1), 2^power) and what is compared with it are counted in the same units, so
 * rows are kept by the power of their reach.
 */
unsigned power_of(int64_t reach); /* which is at least 1 */
#define POWERS 64

void near_rows_set(const struct near_rows *rows, size_t number,
		   const struct simhash_sum_table *table, unsigned power);

/* For what is within `reach` of a row, among rows of this power. */
struct nearness nearness_of(const struct simhash_sum_table *table, uint64_t reach, unsigned power);

/*
 * The sum of the counts with the signs of a row of the 16 x 16 Walsh-Hadamard matrix. Those of two
 * rows differ by no more than their distance. Cut off at the ends of 64 bits, which brings no two
 * sums further apart.
 */
int64_t signed_sum(const struct simhash_sum_table *table, unsigned walsh_row);

/* What is within `reach` of a sum, cut off in the same way. */
struct sum_range {
	int64_t low, high;
};
struct sum_range sums_within(int64_t sum, uint64_t reach);

/* The fastest that the processor has. */
near_fn *near_choose(void);

near_fn near_next_portable;
near_fn near_next_avx2; /* this and the next: which the processor must have */
near_fn near_next_avx512;

#endif
