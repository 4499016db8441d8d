/*
 * Adds the shingles of a resemblance sketch with AVX-512 and its byte instructions (BW).
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>

#include "core/scan_kernel.h"

#define VECTOR __m512i
#define SIZE 64

#define v_load(p) _mm512_loadu_si512((const void *)(p))
#define v_store(p, x) _mm512_storeu_si512((void *)(p), x)
#define v_words(n) _mm512_set1_epi16((short)(n))
#define v_add _mm512_add_epi16
#define v_multiply _mm512_mullo_epi16
#define v_after(a, b, n) _mm512_alignr_epi32(b, a, (n) / 2)

/*
 * The argument of _mm512_ternarylogic_epi64: its bit 4 a + 2 b + c is the result for the bits a, b
 * and c.
 */
#define IF_A_THEN_B_ELSE_C 0xca

static inline uint64_t v_hits(__m512i even, __m512i odd, __m512i bits)
{
	__m512i upper = _mm512_set1_epi16((short)0xff00);

	/* The upper bytes of all positions, and the bit of each position. */
	upper = _mm512_ternarylogic_epi64(upper, odd, _mm512_srli_epi16(even, 8),
					  IF_A_THEN_B_ELSE_C);
	return ~_mm512_test_epi8_mask(upper, bits);
}

#include "core/resemblance_template.h"

void add_shingles_avx512(struct resemblance_registers *registers, unsigned level,
			 const uint8_t *bytes, size_t positions)
{
	add_shingles(registers, level, bytes, positions);
}
