/*
 * Samples the shingles of a piece, for any instruction set that multiplies words of 16 bits.
 * Include it once in a file that defines
 *
 *     VECTOR               the type of a vector of SIZE bytes, which are words of 16 bits
 *     SIZE                 16, 32 or 64
 *     v_load(p)            words from p, which is not aligned, in little-endian order
 *     v_store(p, x)        words to p, in the byte order of the machine
 *     v_words(n)           n in each word
 *     v_add(a, b), v_multiply(a, b)     word by word, modulo 2^16
 *     v_after(a, b, n)     the words of a from word n = 2 or 4 on, then the first n of b
 *     v_hits(even, odd, bits)    a number whose bit 2 i is set if the upper byte of word i of
 *                          `even` has none of `bits`; bit 2 i + 1 is the same for `odd`; all
 *                          bytes of `bits` are equal
 *
 * The file then makes a scan_kernel from the function `add_shingles` below.
 *
 * The rank of a shingle is linear in its eight words (docs/algorithm.md), so it is summed as a
 * tree: words to pairs, pairs to fours, fours to eights. Each level takes one multiplication and
 * one addition for all positions, because the right half of one shingle is the left half of
 * another. The words of a vector begin 2 bytes apart; odd positions have their own vector.
 *
 * No processor can predict which positions are sampled, so the code has no branch for it. The
 * sampled positions of a block are written to a list, always two positions at once, even if only
 * one is new. The listed positions are hashed, and a conditional move stores the minimum in a
 * register.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/resemblance.h"

__extension__ typedef unsigned __int128 wide;

#define GROUP 64u /* the number of positions between two checks of the number of hits */
/* The number of hits that are listed at once; more in a group are rare at level 7. */
#define LISTED_AT_ONCE 2

/* The bytes of a block that are read: the sums are two vectors ahead of the positions. */
#define BLOCK_READ (RESEMBLANCE_BLOCK + 2 * SIZE + 3)

struct hits {
	/* The ranks of even and of odd positions. */
	_Alignas(64) uint16_t rank[2][RESEMBLANCE_BLOCK / 2];
	uint64_t mask[RESEMBLANCE_BLOCK / GROUP];
	uint16_t group[RESEMBLANCE_BLOCK / GROUP];
	uint16_t position[RESEMBLANCE_BLOCK + LISTED_AT_ONCE];
};

/* Computed ahead of a vector of positions: the next pairs and the fours. */
struct sums {
	VECTOR next_pairs, fours;
};

static inline VECTOR pairs_at(const uint8_t *p)
{
	return v_add(v_multiply(v_load(p), v_words(0x9E35)), v_load(p + 2));
}

static inline VECTOR fours_of(VECTOR pairs, VECTOR next_pairs)
{
	return v_add(v_multiply(pairs, v_words(0xC2B3)), v_after(pairs, next_pairs, 2));
}

static inline VECTOR ranks_of(VECTOR fours, VECTOR next_fours)
{
	VECTOR eights = v_add(v_multiply(fours, v_words(0x85EB)), v_after(fours, next_fours, 4));

	return v_add(v_multiply(eights, v_words(0x27D5)), v_words(0xA598));
}

static inline void sums_begin(struct sums *sums, const uint8_t *p)
{
	sums->next_pairs = pairs_at(p + SIZE);
	sums->fours = fours_of(pairs_at(p), sums->next_pairs);
}

/* Return the ranks of the positions p, p + 2, ..., p + SIZE - 2. */
static inline VECTOR sums_step(struct sums *sums, const uint8_t *p)
{
	VECTOR pairs = pairs_at(p + 2 * SIZE);
	VECTOR fours = fours_of(sums->next_pairs, pairs);
	VECTOR ranks = ranks_of(sums->fours, fours);

	sums->next_pairs = pairs;
	sums->fours = fours;
	return ranks;
}

static inline size_t count_bits(uint64_t mask)
{
#if defined __POPCNT__ || !defined __x86_64__
	return (size_t)__builtin_popcountll(mask);
#else
	/* Otherwise gcc calls a function, and all vectors must be written to memory first. */
	mask -= mask >> 1 & UINT64_C(0x5555555555555555);
	mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
	mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (size_t)(mask * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/*
 * Find the hits of a block, or of the first positions of one. BLOCK_READ bytes must be readable.
 * Returns the number of groups with hits.
 */
static size_t find_hits(const uint8_t *bytes, size_t positions, unsigned level, struct hits *hits)
{
	const VECTOR bits = v_words((0xFF & ~(0xFF >> level)) * 0x101);
	size_t most = resemblance_hits_max(level), count = 0, groups = 0;
	struct sums even, odd;

	sums_begin(&even, bytes);
	sums_begin(&odd, bytes + 1);
	for (size_t group = 0; group < positions && count < most; group += GROUP) {
		uint64_t mask = 0;
		/*
		 * Prefetch the next block, because the processor's own prefetching stops at the end
		 * of a page.
		 */
		__builtin_prefetch(bytes + group + RESEMBLANCE_BLOCK);
		for (size_t i = 0; i < GROUP; i += SIZE) {
			const uint8_t *p = bytes + group + i;
			VECTOR even_ranks = sums_step(&even, p), odd_ranks = sums_step(&odd, p + 1);
			v_store(&hits->rank[0][(group + i) / 2], even_ranks);
			v_store(&hits->rank[1][(group + i) / 2], odd_ranks);
			mask |= (uint64_t)v_hits(even_ranks, odd_ranks, bits) << i;
		}
		if (positions - group < GROUP)
			mask &= (UINT64_C(1) << (positions - group)) - 1;
		hits->mask[groups] = mask;
		hits->group[groups] = (uint16_t)group;
		groups += mask != 0;
		count += count_bits(mask);
	}
	return groups;
}

static inline unsigned lowest_bit(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask | UINT64_C(1) << 63);
}

/* List the positions of all hits. Returns their number. */
static inline size_t list_hits(struct hits *hits, size_t groups)
{
	size_t count = 0;

	for (size_t g = 0; g < groups; g++) {
		uint64_t mask = hits->mask[g];
		uint16_t *next = hits->position + count;
		count += count_bits(mask);
		if (mask == UINT64_MAX) { /* at level 0, all positions are hits */
			for (unsigned i = 0; i < GROUP; i++)
				next[i] = (uint16_t)(hits->group[g] + i);
			continue;
		}
		do {
			for (unsigned i = 0; i < LISTED_AT_ONCE; i++) {
				next[i] = (uint16_t)(hits->group[g] + lowest_bit(mask));
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

/* Enter a hit into its register. Returns its value. */
static inline uint64_t enter_hit(struct resemblance_registers *registers, const uint8_t *bytes,
				 const struct hits *hits, unsigned at)
{
	uint64_t h = hash(bytes + at);
	uint64_t value = (uint64_t)hits->rank[at % 2][at / 2] << 48 | h << 7 >> 16;
	uint64_t *least = &registers->value[h >> 57];

	*least = value < *least ? value : *least;
	return value;
}

static void enter_hits(struct resemblance_registers *registers, const uint8_t *bytes,
		       const struct hits *hits, size_t count)
{
	struct piece_collector *pieces = registers->pieces;
	uint64_t *next;

	if (pieces == NULL || count == 0 || !piece_collector_room(pieces, count)) {
		for (size_t i = 0; i < count; i++)
			enter_hit(registers, bytes, hits, hits->position[i]);
		return;
	}
	next = pieces->values + pieces->count;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = enter_hit(registers, bytes, hits, hits->position[i]);
		*next = value >> (64 - PIECE_BITS);
		next += value <= pieces->last;
	}
	pieces->count = (size_t)(next - pieces->values);
}

static void add_shingles(struct resemblance_registers *registers, unsigned level,
			 const uint8_t *bytes, size_t positions)
{
	uint8_t last[BLOCK_READ];
	struct hits hits;

	while (positions > 0) {
		size_t here = positions < RESEMBLANCE_BLOCK ? positions : RESEMBLANCE_BLOCK, groups;
		const uint8_t *from = bytes;
		if (positions + SHINGLE_OVERLAP < BLOCK_READ) {
			memcpy(last, bytes, positions + SHINGLE_OVERLAP);
			from = last;
		}
		groups = find_hits(from, here, level, &hits);
		enter_hits(registers, from, &hits, list_hits(&hits, groups));
		bytes += here;
		positions -= here;
	}
}
