/*
 * Hashes of all 4 to 8 bytes in a row, four at a time, with AVX2.
 * What is computed is told in short_hash.h.
 * SPDX-License-Identifier: MIT
 */
#include "measure/x86/short_hash.h"

#include <immintrin.h>

#include "measure/features.h"

static inline __m256i times_prime(__m256i x)
{
	const __m256i low = _mm256_set1_epi64x((long long)(PRIME & 0xffffffff));
	const __m256i high = _mm256_set1_epi64x((long long)(PRIME >> 32));
	__m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low),
					   _mm256_mul_epu32(x, high));

	return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(crossed, 32));
}

static inline __m256i rotate(__m256i x, int bits)
{
	return _mm256_or_si256(_mm256_slli_epi64(x, bits), _mm256_srli_epi64(x, 64 - bits));
}

void ngram_hashes_avx2(const uint8_t *bytes, size_t count, unsigned n, uint64_t seed, uint64_t *out)
{
	const __m256i flip = _mm256_set1_epi64x((long long)flip_of(seed));
	const __m256i length = _mm256_set1_epi64x(n);
	uint8_t order[32];
	__m256i shuffle;
	size_t i = 0;

	order_windows(order, 4, n);
	shuffle = _mm256_loadu_si256((const __m256i *)order);
	/* Each step reads 16 bytes. */
	for (; i + 16 <= count; i += 4) {
		__m256i x =
			_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(bytes + i)));
		x = _mm256_xor_si256(_mm256_shuffle_epi8(x, shuffle), flip);
		x = _mm256_xor_si256(x, _mm256_xor_si256(rotate(x, 49), rotate(x, 24)));
		x = times_prime(x);
		x = _mm256_xor_si256(x, _mm256_add_epi64(_mm256_srli_epi64(x, 35), length));
		x = times_prime(x);
		x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 28));
		_mm256_storeu_si256((__m256i *)(out + i), x);
	}
	for (; i < count; i++)
		out[i] = XXH3_64bits_withSeed(bytes + i, n, seed);
}
