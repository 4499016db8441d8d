/*
 * Compares rows; this source is compiled for each instruction set. A file includes it once, with
 * NEAR_VECTOR as the number of 16-bit lanes of a vector, and builds a near_fn from
 * near_next_here().
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_NEAR_TEMPLATE_H
#define SIMHASH_FIND_NEAR_TEMPLATE_H

#include <string.h>

#include "find/rule/near.h"

typedef uint16_t near_lanes __attribute__((vector_size(NEAR_VECTOR * 2)));
typedef int16_t near_signed_lanes __attribute__((vector_size(NEAR_VECTOR * 2)));

#define NEAR_VECTORS (LANES / NEAR_VECTOR)

#ifndef NEAR_ABSOLUTE /* for instruction sets without a better instruction */
static inline near_lanes near_absolute(near_signed_lanes x)
{
	near_signed_lanes sign = x < 0;

	return (near_lanes)(x ^ sign) - (near_lanes)sign;
}
#define NEAR_ABSOLUTE near_absolute

/* One bit for each lane. All bits of a lane are equal. */
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

#ifndef NEAR_BY_SUMS
typedef uint8_t near_bytes __attribute__((vector_size(16)));
typedef uint64_t near_words __attribute__((vector_size(16)));

/* The sum of the eight bytes of each word, in its lowest 16 bits. */
static inline near_words near_add_bytes(near_bytes bytes)
{
	near_words words = (near_words)bytes,
		   pairs = UINT64_C(0x00ff00ff00ff00ff) + (near_words){0};

	words = (words & pairs) + (words >> 8 & pairs);
	words += words >> 16;
	words += words >> 32;
	return words & 0xffff;
}

static inline unsigned near_by_sums(uint8_t (*rows)[SUMS], const struct nearness *near)
{
	near_bytes sums, other;
	unsigned mask = 0;

	memcpy(&sums, near->sums, SUMS);
	memcpy((char *)&sums + SUMS, near->sums, SUMS);
	for (unsigned i = 0; i < LANES; i += 2) {
		near_bytes is_larger;
		near_words apart;
		memcpy(&other, rows[i], sizeof other);
		is_larger = (near_bytes)(sums > other);
		apart = near_add_bytes(((sums - other) & is_larger) |
				       ((other - sums) & ~is_larger));
		mask |= (unsigned)(apart[0] <= near->reach) << i |
			(unsigned)(apart[1] <= near->reach) << (i + 1);
	}
	return mask;
}
#define NEAR_BY_SUMS near_by_sums
#endif

static inline unsigned near_by_tags(uint16_t (*rows)[LANES], const struct nearness *near)
{
	near_lanes total[NEAR_VECTORS] = {{0}};

	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		for (unsigned v = 0; v < NEAR_VECTORS; v++) {
			near_lanes other;
			memcpy(&other, rows[t] + v * NEAR_VECTOR, sizeof other);
			total[v] += NEAR_ABSOLUTE((near_signed_lanes)(near->tags[t] - other));
		}
	for (unsigned v = 0; v < NEAR_VECTORS; v++)
		total[v] = (near_lanes)(total[v] <= near->reach_of_tags);
	return NEAR_BITS(total);
}

static inline unsigned near_next_here(const struct near_rows *rows, const struct nearness *near,
				      size_t *chunk, size_t end)
{
	for (; *chunk < end; ++*chunk) {
		unsigned mask = NEAR_BY_SUMS(rows->sums[*chunk], near);
		if (mask != 0)
			mask &= near_by_tags(rows->tags[*chunk], near);
		if (mask != 0)
			return mask;
	}
	return 0;
}

#endif
