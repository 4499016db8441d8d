/*
 * Compares the counts of sixteen rows in a vector of 256 bits, with AVX2. A file defines
 * NEAR_BY_SUMS, which compares sums, and includes this header.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_X86_NEAR_256_H
#define SIMHASH_FIND_X86_NEAR_256_H

#include <immintrin.h>

#define NEAR_VECTOR 16
#define NEAR_ABSOLUTE(x) ((near_lanes)_mm256_abs_epi16((__m256i)(x)))
#define NEAR_BITS(lanes)                                                     \
	((unsigned)_mm_movemask_epi8(                                        \
		_mm_packs_epi16(_mm256_castsi256_si128((__m256i)(lanes)[0]), \
				_mm256_extracti128_si256((__m256i)(lanes)[0], 1))))
#include "find/rule/near_template.h"

#endif
