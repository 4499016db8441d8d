/*
 * Defines the operations on 64 lanes that the kernels for AVX-512 with its byte instructions (BW)
 * share: the operations that lanes_template.h needs, except nibbles and their look-ups.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_X86_LANES_AVX512_H
#define SIMHASH_CORE_X86_LANES_AVX512_H

#include <immintrin.h>

#define VECTOR __m512i
#define LANES 64
#define HAS_THREE_WAY_LOGIC
#define HALVES 2 /* there are enough registers for both */

#define v_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#define v_load(p) _mm512_loadu_si512((const void *)(p))
#define v_zip_low _mm512_unpacklo_epi8
#define v_zip_high _mm512_unpackhi_epi8
#define v_zero _mm512_setzero_si512
#define v_and _mm512_and_si512
#define v_or _mm512_or_si512
#define v_and_not(a, b) _mm512_andnot_si512(b, a)

/*
 * The argument of _mm512_ternarylogic_epi64: its bit 4 a + 2 b + c is the result for the bits a, b
 * and c.
 */
#define IF_A_THEN_B_ELSE_C 0xca
#define A_OR_NOT_B_AND_C 0xa2 /* (a | ~b) & c */
#define A_AND_B_OR_C 0xea     /* (a & b) | c */
#define XOR_OF_ALL 0x96
#define MAJORITY 0xe8

static inline __m128i load_part(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline __m512i v_table(const uint8_t *table)
{
	return _mm512_broadcast_i32x4(load_part(table));
}

static inline __m512i v_load_rows(const uint8_t *p, size_t stride)
{
	__m512i x = _mm512_castsi128_si512(load_part(p));

	x = _mm512_inserti32x4(x, load_part(p + stride), 1);
	x = _mm512_inserti32x4(x, load_part(p + 2 * stride), 2);
	return _mm512_inserti32x4(x, load_part(p + 3 * stride), 3);
}

static inline void v_store_rows(uint8_t *p, size_t stride, __m512i x)
{
	_mm_storeu_si128((__m128i *)(void *)p, _mm512_extracti32x4_epi32(x, 0));
	_mm_storeu_si128((__m128i *)(void *)(p + stride), _mm512_extracti32x4_epi32(x, 1));
	_mm_storeu_si128((__m128i *)(void *)(p + 2 * stride), _mm512_extracti32x4_epi32(x, 2));
	_mm_storeu_si128((__m128i *)(void *)(p + 3 * stride), _mm512_extracti32x4_epi32(x, 3));
}

/* The instruction overwrites its first operand, so that operand is not needed again. */
static inline __m512i v_take(__m512i s, __m512i a, __m512i b, __m512i was, __m512i all)
{
	__m512i may = _mm512_ternarylogic_epi64(was, all, a, A_OR_NOT_B_AND_C);

	return _mm512_ternarylogic_epi64(may, b, s, A_AND_B_OR_C);
}

static inline __m512i v_add(__m512i *sum, __m512i a, __m512i b)
{
	__m512i carry = _mm512_ternarylogic_epi64(*sum, a, b, MAJORITY);

	*sum = _mm512_ternarylogic_epi64(*sum, a, b, XOR_OF_ALL);
	return carry;
}

static inline void v_count(__m512i x, uint64_t count[8])
{
	for (int i = 7; i >= 0; i--) {
		count[i] += (uint64_t)__builtin_popcountll(_mm512_movepi8_mask(x));
		x = _mm512_add_epi8(x, x);
	}
}

#endif
