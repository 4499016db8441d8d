/*
 * Counts for each of 64 bit positions the hashes in which the bit is set, for all positions at
 * once, by carry-save adders: bit i of `plane[j]` is digit j of the count of position i. This text
 * is compiled for each instruction set that makes it faster.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_BIT_COUNTS_H
#define SIMHASH_MEASURE_BIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Four words that are processed together; compilers use the processor's vectors. */
typedef uint64_t words4 __attribute__((vector_size(32), aligned(8), may_alias));

#define PLANES 24

struct bit_counts {
	words4 plane[PLANES]; /* digits of counts; each of the four words has its own counts */
	words4 sixteens[16];  /* bits of weight 16 from this many blocks, not yet added */
	unsigned blocks;
	uint64_t pending;  /* hashes counted in the planes */
	int64_t count[64]; /* counts moved from the planes */
};

/* The same for processors with AVX2. */
void count_blocks_avx2(struct bit_counts *counts, const uint64_t *hashes, size_t blocks);

/* Add bits of weight 2^j, and propagate the carries. */
static inline void add_at(struct bit_counts *counts, int j, const words4 *bits)
{
	words4 adding = *bits;

	for (; j < PLANES; j++) {
		words4 carry = counts->plane[j] & adding;
		counts->plane[j] ^= adding;
		adding = carry;
	}
}

/* Move the planes to the counts. */
static inline void empty_planes(struct bit_counts *counts)
{
	for (unsigned i = 0; i < counts->blocks; i++)
		add_at(counts, 4, &counts->sixteens[i]);
	counts->blocks = 0;
	for (int j = 0; j < PLANES; j++)
		for (int lane = 0; lane < 4; lane++)
			for (uint64_t bits = counts->plane[j][lane]; bits != 0; bits &= bits - 1)
				counts->count[__builtin_ctzll(bits)] += INT64_C(1) << j;
	memset(counts->plane, 0, sizeof counts->plane);
	counts->pending = 0;
}

/*
 * Add the bits of low, x and y: the sum is in `low`, and the carry of twice the weight is in
 * `high`.
 */
#define ADD_CARRY(high, low, x, y)                      \
	do {                                            \
		words4 term = (x), half = (low) ^ term; \
		words4 other = (y);                     \
		(high) = ((low)&term) | (half & other); \
		(low) = half ^ other;                   \
	} while (0)

/*
 * Add 16 groups of bits of one weight to four planes with a tree of adders. The carry has 16 times
 * the weight.
 */
static inline void add_sixteen(words4 plane[4], const words4 *x, words4 *carry)
{
	words4 ones = plane[0], twos = plane[1], fours = plane[2], eights = plane[3];
	words4 two_a, two_b, four_a, four_b, eight_a, eight_b;

	ADD_CARRY(two_a, ones, x[0], x[1]);
	ADD_CARRY(two_b, ones, x[2], x[3]);
	ADD_CARRY(four_a, twos, two_a, two_b);
	ADD_CARRY(two_a, ones, x[4], x[5]);
	ADD_CARRY(two_b, ones, x[6], x[7]);
	ADD_CARRY(four_b, twos, two_a, two_b);
	ADD_CARRY(eight_a, fours, four_a, four_b);
	ADD_CARRY(two_a, ones, x[8], x[9]);
	ADD_CARRY(two_b, ones, x[10], x[11]);
	ADD_CARRY(four_a, twos, two_a, two_b);
	ADD_CARRY(two_a, ones, x[12], x[13]);
	ADD_CARRY(two_b, ones, x[14], x[15]);
	ADD_CARRY(four_b, twos, two_a, two_b);
	ADD_CARRY(eight_b, fours, four_a, four_b);
	ADD_CARRY(*carry, eights, eight_a, eight_b);
	plane[0] = ones;
	plane[1] = twos;
	plane[2] = fours;
	plane[3] = eights;
}

/*
 * Count 64 hashes at a time. One tree adds 16 hashes for each word of a vector, and another tree
 * adds the carries of 16 blocks.
 */
static inline void count_blocks_here(struct bit_counts *counts, const uint64_t *hashes,
				     size_t blocks)
{
	words4 carry;

	for (; blocks > 0; blocks--, hashes += 64) {
		add_sixteen(counts->plane, (const words4 *)hashes,
			    &counts->sixteens[counts->blocks++]);
		if (counts->blocks < 16)
			continue;
		add_sixteen(counts->plane + 4, counts->sixteens, &carry);
		add_at(counts, 8, &carry);
		counts->blocks = 0;
		counts->pending += 256;
		if (counts->pending >= (UINT64_C(1) << PLANES) - 512)
			empty_planes(counts);
	}
}

#endif
