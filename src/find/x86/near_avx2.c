/*
 * Comparing rows with AVX2: the text of near.h, compiled for it.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>

#define NEAR_VECTOR 16
#define NEAR_ABSOLUTE(x) ((near_lanes)_mm256_abs_epi16((__m256i)(x)))
#include "find/near.h"

unsigned near_next_avx2(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			size_t end)
{
	return near_next_here(rows, near, chunk, end);
}
