/*
 * Compares rows with AVX2. One instruction adds up the differences of eight bytes for each of four
 * rows.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>
#include <string.h>

#include "find/rule/near.h"

/* Moves bit 4 * i + v to bit 4 * v + i, for i and v up to 3. */
static inline unsigned transpose(unsigned bits)
{
	unsigned moved = (bits ^ bits >> 3) & 0x0a0a;

	bits ^= moved ^ moved << 3;
	moved = (bits ^ bits >> 6) & 0x00cc;
	return bits ^ moved ^ moved << 6;
}

static inline __m256i apart(uint8_t (*rows)[SUMS], __m256i sums)
{
	return _mm256_sad_epu8(_mm256_loadu_si256((const __m256i *)(const void *)rows), sums);
}

/* Puts the results of rows 4 * v + i, which are below 2^15, into lanes 4 * i + v. */
static inline unsigned by_sums(uint8_t (*rows)[SUMS], const struct nearness *near)
{
	long long word;
	__m256i sums, low, high, far;
	unsigned bits;

	memcpy(&word, near->sums, sizeof word);
	sums = _mm256_set1_epi64x(word);
	low = _mm256_or_si256(apart(rows, sums), _mm256_slli_epi64(apart(rows + 4, sums), 16));
	high = _mm256_or_si256(apart(rows + 8, sums),
			       _mm256_slli_epi64(apart(rows + 12, sums), 16));
	far = _mm256_cmpgt_epi16(_mm256_or_si256(low, _mm256_slli_epi64(high, 32)),
				 _mm256_set1_epi16((short)near->reach));
	bits = ~(unsigned)_mm256_movemask_epi8(far);
	if (bits == 0)
		return 0;
	far = _mm256_packs_epi16(far, _mm256_permute2x128_si256(far, far, 1));
	return transpose(~(unsigned)_mm_movemask_epi8(_mm256_castsi256_si128(far)) & 0xffff);
}

#define NEAR_BY_SUMS by_sums
#include "find/rule/x86/near_256.h"

unsigned near_next_avx2(const struct near_rows *rows, const struct nearness *near, size_t *chunk,
			size_t end)
{
	return near_next_here(rows, near, chunk, end);
}
