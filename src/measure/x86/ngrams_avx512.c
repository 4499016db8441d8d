/*
 * Hashes all sequences of 4 to 8 bytes, eight windows at a time, with AVX-512 (F, BW and DQ), which
 * multiplies and rotates 64-bit lanes. short_hash.h describes the computation.
 * SPDX-License-Identifier: MIT
 */
#include "measure/x86/short_hash.h"

#include <immintrin.h>

#include "measure/features.h"

#define XOR_OF_THREE 0x96 /* as a truth table */

/* Do the steps of the hash that follow the first XORs. */
static inline __m512i finish(__m512i x, __m512i length)
{
	const __m512i prime = _mm512_set1_epi64((long long)PRIME);

	x = _mm512_mullo_epi64(x, prime);
	x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), length));
	x = _mm512_mullo_epi64(x, prime);
	return _mm512_xor_si512(x, _mm512_srli_epi64(x, 28));
}

void ngram_hashes_avx512(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out,
			 uint64_t *second)
{
	const __m512i flip = _mm512_set1_epi64((long long)flip_of(0));
	const __m512i second_flip = _mm512_set1_epi64((long long)flip_of(1));
	const __m512i length = _mm512_set1_epi64(n);
	uint8_t order[64];
	__m512i shuffle;
	size_t i = 0;

	order_windows(order, 8, n);
	shuffle = _mm512_loadu_si512(order);
	/* Each iteration reads 16 bytes. */
	for (; i + 8 <= count && i + 16 <= count + n - 1; i += 8) {
		__m512i x = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(bytes + i)));
		x = _mm512_shuffle_epi8(x, shuffle);
		x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24),
					      XOR_OF_THREE);
		_mm512_storeu_si512(out + i, finish(_mm512_xor_si512(x, flip), length));
		if (second != NULL)
			_mm512_storeu_si512(second + i,
					    finish(_mm512_xor_si512(x, second_flip), length));
	}
	hash_rest(bytes, i, count, n, out, second);
}
