/*
 * Counting in how many of many hashes each of 64 bits is set, for all bits at once, by
 * carry-save adders: bit i of `plane[j]` is digit j of the count of position i.
 * One text, compiled for each instruction set that makes it faster.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_BIT_COUNTS_H
#define SIMHASH_MEASURE_BIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Four words that are worked on together; compilers make of them what the processor has. */
typedef uint64_t words4 __attribute__((vector_size(32), aligned(8), may_alias));

#define PLANES 24

struct bit_counts {
	words4 plane[PLANES]; /* digits of counts of their own in each of four words */
	uint64_t pending;     /* counted in the planes */
	int64_t count[64];    /* what came from the planes before */
};

/* What follows with AVX2, which the processor must have. */
void count_blocks_avx2(struct bit_counts *counts, const uint64_t *hashes, size_t blocks);

/* From the planes to the counts. */
static inline void empty_planes(struct bit_counts *counts)
{
	for (int j = 0; j < PLANES; j++)
		for (int lane = 0; lane < 4; lane++)
			for (uint64_t bits = counts->plane[j][lane]; bits != 0; bits &= bits - 1)
				counts->count[__builtin_ctzll(bits)] += INT64_C(1) << j;
	memset(counts->plane, 0, sizeof counts->plane);
	counts->pending = 0;
}

/* Four hashes. */
#define HASHES(number) (*(const words4 *)(hashes + 4 * (number)))

/* The bits of low, x and y add up to `low`, and to `high` of twice the weight. */
#define ADD_CARRY(high, low, x, y)                      \
	do {                                            \
		words4 term = (x), half = (low) ^ term; \
		words4 other = (y);                     \
		(high) = ((low)&term) | (half & other); \
		(low) = half ^ other;                   \
	} while (0)

/*
 * Count 64 hashes at a time: 16 groups of four through a tree of adders. `hashes` is aligned
 * as words4 is.
 */
static inline void count_blocks_here(struct bit_counts *counts, const uint64_t *hashes,
				     size_t blocks)
{
	words4 ones = counts->plane[0], twos = counts->plane[1], fours = counts->plane[2];
	words4 eights = counts->plane[3], two_a, two_b, four_a, four_b, eight_a, eight_b, carry;

	for (size_t i = 0; i < blocks; i++, hashes += 64) {
		ADD_CARRY(two_a, ones, HASHES(0), HASHES(1));
		ADD_CARRY(two_b, ones, HASHES(2), HASHES(3));
		ADD_CARRY(four_a, twos, two_a, two_b);
		ADD_CARRY(two_a, ones, HASHES(4), HASHES(5));
		ADD_CARRY(two_b, ones, HASHES(6), HASHES(7));
		ADD_CARRY(four_b, twos, two_a, two_b);
		ADD_CARRY(eight_a, fours, four_a, four_b);
		ADD_CARRY(two_a, ones, HASHES(8), HASHES(9));
		ADD_CARRY(two_b, ones, HASHES(10), HASHES(11));
		ADD_CARRY(four_a, twos, two_a, two_b);
		ADD_CARRY(two_a, ones, HASHES(12), HASHES(13));
		ADD_CARRY(two_b, ones, HASHES(14), HASHES(15));
		ADD_CARRY(four_b, twos, two_a, two_b);
		ADD_CARRY(eight_b, fours, four_a, four_b);
		ADD_CARRY(carry, eights, eight_a, eight_b);
		for (int j = 4; j < PLANES; j++) {
			words4 next = counts->plane[j] & carry;
			counts->plane[j] ^= carry;
			carry = next;
			if ((carry[0] | carry[1] | carry[2] | carry[3]) == 0)
				break;
		}
		counts->pending += 16;
		if (counts->pending >= (UINT64_C(1) << PLANES) - 64) {
			counts->plane[0] = ones;
			counts->plane[1] = twos;
			counts->plane[2] = fours;
			counts->plane[3] = eights;
			empty_planes(counts);
			ones = twos = fours = eights = counts->plane[0];
		}
	}
	counts->plane[0] = ones;
	counts->plane[1] = twos;
	counts->plane[2] = fours;
	counts->plane[3] = eights;
}

#endif
