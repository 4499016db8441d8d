/*
 * Adds the shingles of a resemblance sketch with AVX2: defines the vector operations and includes
 * resemblance_template.h.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>

#include "core/scan_kernel.h"

#define VECTOR __m256i
#define SIZE 32

#define v_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define v_store(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define v_words(n) _mm256_set1_epi16((short)(n))
#define v_add _mm256_add_epi16
#define v_multiply _mm256_mullo_epi16
/*
 * Put the upper half of a and the lower half of b between them, because vpalignr works in halves.
 */
#define v_after(a, b, n) _mm256_alignr_epi8(_mm256_permute2x128_si256(a, b, 0x21), a, 2 * (n))

static inline uint32_t v_hits(__m256i even, __m256i odd, __m256i bits)
{
	const __m256i upper_byte = _mm256_set1_epi16((short)0xff00);
	__m256i upper =
		_mm256_or_si256(_mm256_and_si256(upper_byte, odd), _mm256_srli_epi16(even, 8));

	return (uint32_t)_mm256_movemask_epi8(
		_mm256_cmpeq_epi8(_mm256_and_si256(upper, bits), _mm256_setzero_si256()));
}

#include "core/resemblance_template.h"

void add_shingles_avx2(struct resemblance_registers *registers, unsigned level,
		       const uint8_t *bytes, size_t positions)
{
	add_shingles(registers, level, bytes, positions);
}
