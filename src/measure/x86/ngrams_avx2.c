/*
 * Hashes all sequences of 4 to 8 bytes, four windows at a time, with AVX2. short_hash.h describes
 * the computation.
 * SPDX-License-Identifier: MIT
 */
#include "measure/x86/short_hash.h"

#include <immintrin.h>

#include "measure/features.h"

/* Compute x * PRIME: the cross products of the halves, then the product of the low halves. */
static inline __m256i times_prime(__m256i x)
{
	const __m256i prime = _mm256_set1_epi64x((long long)PRIME);
	const __m256i swapped = _mm256_set1_epi64x((long long)(PRIME << 32 | PRIME >> 32));
	__m256i crossed = _mm256_mullo_epi32(x, swapped);

	crossed = _mm256_add_epi32(crossed, _mm256_slli_epi64(crossed, 32));
	crossed = _mm256_blend_epi32(crossed, _mm256_setzero_si256(), 0x55);
	return _mm256_add_epi64(_mm256_mul_epu32(x, prime), crossed);
}

/* The steps after the first XORs. */
static inline __m256i finish(__m256i x, __m256i length)
{
	x = times_prime(x);
	x = _mm256_xor_si256(x, _mm256_add_epi64(_mm256_srli_epi64(x, 35), length));
	x = times_prime(x);
	return _mm256_xor_si256(x, _mm256_srli_epi64(x, 28));
}

void ngram_hashes_avx2(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out,
		       uint64_t *second)
{
	const __m256i flip = _mm256_set1_epi64x((long long)flip_of(0));
	const __m256i second_flip = _mm256_set1_epi64x((long long)flip_of(1));
	const __m256i length = _mm256_set1_epi64x(n);
	/* Rotates each word of 8 bytes by 3 bytes. */
	const __m256i rotate_24 = _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11,
						   12, 5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10,
						   11, 12);
	uint8_t order[32];
	__m256i shuffle;
	size_t i = 0;

	order_windows(order, 4, n);
	shuffle = _mm256_loadu_si256((const __m256i *)order);
	/* Each iteration reads 16 bytes. */
	for (; i + 4 <= count && i + 16 <= count + n - 1; i += 4) {
		__m256i x =
			_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(bytes + i)));
		__m256i up;
		x = _mm256_shuffle_epi8(x, shuffle);
		up = _mm256_or_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
		x = _mm256_xor_si256(x, _mm256_xor_si256(up, _mm256_shuffle_epi8(x, rotate_24)));
		_mm256_storeu_si256((__m256i *)(out + i),
				    finish(_mm256_xor_si256(x, flip), length));
		if (second != NULL)
			_mm256_storeu_si256((__m256i *)(second + i),
					    finish(_mm256_xor_si256(x, second_flip), length));
	}
	hash_rest(bytes, i, count, n, out, second);
}
