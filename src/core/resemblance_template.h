/*
 * The sampled shingles of a piece, for any instruction set that multiplies words of 16
 * bits. To be included once in a file that defines
 *
 *     VECTOR               the type of a vector of SIZE bytes, which are words of 16 bits
 *     SIZE                 16, 32 or 64
 *     v_load(p)            words from p, which is not aligned, the lower byte of each first
 *     v_store(p, x)        words to p, in the order of the machine
 *     v_words(n)           n in each word
 *     v_add(a, b), v_multiply(a, b)     word by word, modulo 2^16
 *     v_after(a, b, n)     the words of a from word n = 2 or 4 on, then the first n of b
 *     v_hits(even, odd, bits)    a number with bit 2 i set where word i of `even` has none of
 *                          `bits`, and bit 2 i + 1 where word i of `odd` has none; `bits`
 *                          are the same in each word, and only in its upper byte
 *
 * and that makes a scan_kernel of the function `add_shingles` below.
 *
 * The idea. The rank of a shingle is linear in its eight words. So it is added up as a tree:
 * pairs of words, pairs of those, and pairs of those, each level one multiplication and one
 * addition for all positions, since what a position needs of its right half another position
 * has made for its left one. The words of a vector begin 2 bytes apart; a second vector has
 * those of the odd positions.
 *
 * No branch can foresee which positions are sampled. So there is none for each: the
 * sampled positions of a block are listed, some at a time whether they are there or not, and then
 * those listed are hashed, and the minimum is taken without a branch too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/resemblance.h"

__extension__ typedef unsigned __int128 wide;

#define GROUP 64u	 /* positions between two looks at the hits of a block */
#define LISTED_AT_ONCE 2 /* hits of a group; at level 7 more are rare */

/* Bytes of a block that are read: sums are two vectors ahead of the positions. */
#define BLOCK_READ (RESEMBLANCE_BLOCK + 2 * SIZE + 3)

struct hits {
	_Alignas(64) uint16_t rank[2][RESEMBLANCE_BLOCK / 2]; /* of even and odd positions */
	uint64_t mask[RESEMBLANCE_BLOCK / GROUP];
	uint16_t position[RESEMBLANCE_BLOCK + LISTED_AT_ONCE];
};

/* What has been summed up ahead of a vector of positions: t of the next one and u of this one. */
struct sums {
	VECTOR t_next, u;
};

static inline VECTOR sum_of_4(const uint8_t *p)
{
	return v_add(v_multiply(v_load(p), v_words(0x9E35)), v_load(p + 2));
}

static inline VECTOR sum_of_8(VECTOR t, VECTOR t_next)
{
	return v_add(v_multiply(t, v_words(0xC2B3)), v_after(t, t_next, 2));
}

static inline VECTOR rank(VECTOR u, VECTOR u_next)
{
	VECTOR v = v_add(v_multiply(u, v_words(0x85EB)), v_after(u, u_next, 4));

	return v_add(v_multiply(v, v_words(0x27D5)), v_words(0xA598));
}

static inline void sums_begin(struct sums *sums, const uint8_t *p)
{
	VECTOR t = sum_of_4(p);

	sums->t_next = sum_of_4(p + SIZE);
	sums->u = sum_of_8(t, sums->t_next);
}

/* The ranks of the positions p, p + 2, ..., p + SIZE - 2. */
static inline VECTOR sums_step(struct sums *sums, const uint8_t *p)
{
	VECTOR t = sum_of_4(p + 2 * SIZE);
	VECTOR u = sum_of_8(sums->t_next, t);
	VECTOR ranks = rank(sums->u, u);

	sums->t_next = t;
	sums->u = u;
	return ranks;
}

/* Find the hits of a block, or of the first positions of one. BLOCK_READ bytes are there. */
static size_t find_hits(const uint8_t *bytes, size_t positions, unsigned level, struct hits *hits)
{
	const VECTOR bits = v_words((0xFF & ~(0xFF >> level)) * 0x101);
	size_t most = resemblance_hits_max(level), count = 0, group = 0;
	struct sums even, odd;

	sums_begin(&even, bytes);
	sums_begin(&odd, bytes + 1);
	for (; group < positions && count < most; group += GROUP) {
		uint64_t mask = 0;
		for (size_t i = 0; i < GROUP; i += SIZE) {
			const uint8_t *p = bytes + group + i;
			VECTOR even_ranks = sums_step(&even, p), odd_ranks = sums_step(&odd, p + 1);
			v_store(&hits->rank[0][(group + i) / 2], even_ranks);
			v_store(&hits->rank[1][(group + i) / 2], odd_ranks);
			mask |= (uint64_t)v_hits(even_ranks, odd_ranks, bits) << i;
		}
		if (positions - group < GROUP)
			mask &= (UINT64_C(1) << (positions - group)) - 1;
		hits->mask[group / GROUP] = mask;
		count += (size_t)__builtin_popcountll(mask);
	}
	return group / GROUP;
}

static inline unsigned lowest_bit(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask | UINT64_C(1) << 63);
}

static inline size_t list_hits(struct hits *hits, size_t groups)
{
	size_t count = 0;

	for (size_t g = 0; g < groups; g++) {
		uint64_t mask = hits->mask[g];
		uint16_t *next = hits->position + count;
		count += (size_t)__builtin_popcountll(mask);
		do {
			for (unsigned i = 0; i < LISTED_AT_ONCE; i++) {
				next[i] = (uint16_t)(GROUP * g + lowest_bit(mask));
				mask &= mask - 1;
			}
			next += LISTED_AT_ONCE;
		} while (mask != 0);
	}
	return count;
}

static inline uint64_t read_little64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static inline uint64_t hash(const uint8_t *p)
{
	wide product = (wide)(read_little64(p) ^ UINT64_C(0xa0761d6478bd642f)) *
		       (read_little64(p + 8) ^ UINT64_C(0xe7037ed1a0b428db));

	return ((uint64_t)product ^ (uint64_t)(product >> 64)) * UINT64_C(0x9E3779B97F4A7C15);
}

static void enter_hits(struct resemblance_registers *registers, const uint8_t *bytes,
		       const struct hits *hits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned at = hits->position[i];
		uint64_t h = hash(bytes + at);
		uint64_t value = (uint64_t)hits->rank[at % 2][at / 2] << 48 | h << 7 >> 16;
		uint64_t *least = &registers->value[h >> 57];
		*least = value < *least ? value : *least;
	}
}

static void add_shingles(struct resemblance_registers *registers, unsigned level,
			 const uint8_t *bytes, size_t positions)
{
	struct hits hits;

	while (positions > 0) {
		size_t here = positions < RESEMBLANCE_BLOCK ? positions : RESEMBLANCE_BLOCK;
		uint8_t last[BLOCK_READ];
		const uint8_t *from = bytes;
		if (positions + SHINGLE_OVERLAP < BLOCK_READ) {
			memcpy(last, bytes, positions + SHINGLE_OVERLAP);
			from = last;
		}
		size_t count = list_hits(&hits, find_hits(from, here, level, &hits));
		enter_hits(registers, from, &hits, count);
		bytes += here;
		positions -= here;
	}
}
