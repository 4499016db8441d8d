/*
 * Comparing rows with AVX2: the text of near.h, compiled for it.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>

#define NEAR_VECTOR 16
#define NEAR_ABSOLUTE(x) ((near_lanes)_mm256_abs_epi16((__m256i)(x)))
#define NEAR_BITS(lanes)                                                     \
	((unsigned)_mm_movemask_epi8(                                        \
		_mm_packs_epi16(_mm256_castsi256_si128((__m256i)(lanes)[0]), \
				_mm256_extracti128_si256((__m256i)(lanes)[0], 1))))
#include "find/near.h"

unsigned near_next_avx2(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			size_t end)
{
	return near_next_here(rows, near, chunk, end);
}
