/*
 * Compares rows with AVX-512 and its byte instructions (BW). One instruction adds up the
 * differences of eight bytes for each of eight rows.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>
#include <string.h>

#include "find/rule/near.h"

static inline unsigned eight_by_sums(uint8_t (*rows)[SUMS], __m512i sums, __m512i reach)
{
	__m512i apart = _mm512_sad_epu8(_mm512_loadu_si512(rows), sums);

	return _mm512_cmple_epu64_mask(apart, reach);
}

static inline unsigned by_sums(uint8_t (*rows)[SUMS], const struct nearness *near)
{
	__m512i sums, reach = _mm512_set1_epi64(near->reach);
	long long word;

	memcpy(&word, near->sums, sizeof word);
	sums = _mm512_set1_epi64(word);
	return eight_by_sums(rows, sums, reach) | eight_by_sums(rows + 8, sums, reach) << 8;
}

#define NEAR_BY_SUMS by_sums
#include "find/rule/x86/near_256.h"

unsigned near_next_avx512(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			  size_t end)
{
	return near_next_here(rows, near, chunk, end);
}
