/*
 * Computes XXH3_64bits_withSeed for lengths of 4 to 8, as xxHash's specification defines it:
 *
 *     seed ^= swap32(low half of seed) << 32
 *     x = (last 4 bytes + first 4 bytes << 32) ^ ((secret[8..15] ^ secret[16..23]) - seed)
 *     x ^= rotl(x, 49) ^ rotl(x, 24);  x *= PRIME
 *     x ^= (x >> 35) + length;         x *= PRIME
 *     x ^ x >> 28
 *
 * Before the first product, bits are only moved and XORed. This part is computed once for all
 * seeds, and the effect of the seed is XORed in afterwards.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_SHORT_HASH_H
#define SIMHASH_MEASURE_SHORT_HASH_H

#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#define PRIME UINT64_C(0x9FB21C651E98DF25)

/*
 * Return the effect of the secret and the seed on x before the first product. The secret is the
 * constant of the library.
 */
static inline uint64_t flip_of(uint64_t seed)
{
	uint64_t a, b, x;

	memcpy(&a, XXH3_kSecret + 8, sizeof a);
	memcpy(&b, XXH3_kSecret + 16, sizeof b);
	seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
	x = (a ^ b) - seed;
	return x ^ XXH_rotl64(x, 49) ^ XXH_rotl64(x, 24);
}

/* Hash the windows at the end, where the vectors would read too far. */
static inline void hash_rest(const uint8_t *bytes, size_t from, size_t count, unsigned n,
			     uint64_t *out, uint64_t *second)
{
	for (size_t i = from; i < count; i++) {
		out[i] = XXH3_64bits(bytes + i, n);
		if (second != NULL)
			second[i] = XXH3_64bits_withSeed(bytes + i, n, 1);
	}
}

/* Set the byte order that turns the windows at offset 0, 1, ... of 16 bytes into numbers. */
static inline void order_windows(uint8_t *order, unsigned windows, unsigned n)
{
	for (unsigned k = 0; k < windows; k++)
		for (unsigned byte = 0; byte < 8; byte++)
			order[8 * k + byte] = (uint8_t)(k + (byte < 4 ? n - 4 + byte : byte - 4));
}

#endif
