/*
 * Which of many rows can be near to one: sixteen are compared at a time. Sums are modulo 2^16, in
 * units that make what is allowed fit; what wraps around is a candidate too many, never one too
 * few. One text, compiled for each instruction set that makes it faster.
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
#include <string.h>

#include "simhash.h"

#define LANES 16
#define SUMS 8 /* of two tags each */

/* Of sixteen rows together: the sums of two tags each, and the counts of all tags. */
struct near_rows {
	uint16_t (*sums)[SUMS][LANES];
	uint16_t (*tags)[SIMHASH_TAGS][LANES];
};

/* The same of one row, and what they may differ by in all. */
struct nearness {
	uint16_t sums[SUMS], reach;
	uint16_t tags[SIMHASH_TAGS], reach_of_tags;
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
near_fn near_next_avx2; /* which the processor must have */

#ifdef NEAR_VECTOR /* lanes of a vector; the file that includes this makes a near_fn of it */

typedef uint16_t near_lanes __attribute__((vector_size(NEAR_VECTOR * 2)));
typedef int16_t near_signed_lanes __attribute__((vector_size(NEAR_VECTOR * 2)));

#define NEAR_VECTORS (LANES / NEAR_VECTOR)

#ifndef NEAR_ABSOLUTE /* where the instruction set has nothing better */
static inline near_lanes near_absolute(near_signed_lanes x)
{
	near_signed_lanes sign = x < 0;

	return (near_lanes)(x ^ sign) - (near_lanes)sign;
}
#define NEAR_ABSOLUTE near_absolute

/* A bit for each lane, which is all ones or 0. */
static inline unsigned near_bits(const near_lanes lanes[NEAR_VECTORS])
{
	uint64_t words[LANES / 4], any = 0;
	unsigned bits = 0;

	memcpy(words, lanes, sizeof words);
	for (int i = 0; i < LANES / 4; i++)
		any |= words[i];
	for (unsigned i = 0; any != 0 && i < LANES; i++)
		bits |= (unsigned)(lanes[i / NEAR_VECTOR][i % NEAR_VECTOR] & 1) << i;
	return bits;
}
#define NEAR_BITS near_bits
#endif

static inline unsigned near_mask(uint16_t (*rows)[LANES], const uint16_t *sums, unsigned count,
				 uint16_t reach)
{
	near_lanes total[NEAR_VECTORS] = {{0}};

	for (unsigned s = 0; s < count; s++)
		for (unsigned v = 0; v < NEAR_VECTORS; v++) {
			near_lanes other;
			memcpy(&other, rows[s] + v * NEAR_VECTOR, sizeof other);
			total[v] += NEAR_ABSOLUTE((near_signed_lanes)(sums[s] - other));
		}
	for (unsigned v = 0; v < NEAR_VECTORS; v++)
		total[v] = (near_lanes)(total[v] <= reach);
	return NEAR_BITS(total);
}

static inline unsigned near_next_here(const struct near_rows *rows, const struct nearness *near,
				      size_t *chunk, size_t end)
{
	for (; *chunk < end; ++*chunk) {
		unsigned mask = near_mask(rows->sums[*chunk], near->sums, SUMS, near->reach);
		if (mask != 0)
			mask &= near_mask(rows->tags[*chunk], near->tags, SIMHASH_TAGS,
					  near->reach_of_tags);
		if (mask != 0)
			return mask;
	}
	return 0;
}

#endif
#endif
