/*
 * Hashes all sequences of n bytes, with the fastest kernel of the processor. The vector kernels are
 * in x86; short_hash.h describes their computation.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "measure/features.h"

/* With a constant length, the compiler reduces XXH3 to a few instructions. */
#define HASH_ALL(length)                                                  \
	for (size_t i = 0; i < count; i++)                                \
		out[i] = XXH3_64bits_withSeed(bytes + i, (length), seed); \
	break

static void hashes_of_seed(const uint8_t *bytes, size_t count, unsigned n, uint64_t seed,
			   uint64_t *out)
{
	switch (n) {
	case 4:
		HASH_ALL(4);
	case 8:
		HASH_ALL(8);
	case 16:
		HASH_ALL(16);
	default:
		HASH_ALL(n);
	}
}

void ngram_hashes_portable(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out,
			   uint64_t *second)
{
	hashes_of_seed(bytes, count, n, 0, out);
	if (second != NULL)
		hashes_of_seed(bytes, count, n, 1, second);
}

void ngram_hashes(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out, uint64_t *second)
{
#ifdef SIMHASH_X86_KERNELS
	if (n >= 4 && n <= 8 && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq")) {
		ngram_hashes_avx512(bytes, count, n, out, second);
		return;
	}
	if (n >= 4 && n <= 8 && __builtin_cpu_supports("avx2")) {
		ngram_hashes_avx2(bytes, count, n, out, second);
		return;
	}
#endif
	ngram_hashes_portable(bytes, count, n, out, second);
}
