/*
 * Replaces runs of white space with AVX2, 64 bytes at a time.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>
#include <string.h>

#include "core/scan_kernel.h"
#include "core/squeeze.h"

/* All bits of each byte that is white space. */
static inline __m256i white_bytes(__m256i x)
{
	/* HT to CR are 0 to 4 after the subtraction. */
	__m256i control = _mm256_sub_epi8(x, _mm256_set1_epi8('\t'));

	return _mm256_or_si256(
		_mm256_cmpeq_epi8(x, _mm256_set1_epi8(' ')),
		_mm256_cmpeq_epi8(_mm256_min_epu8(control, _mm256_set1_epi8('\r' - '\t')),
				  control));
}

static inline __m256i load(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void store(uint8_t *p, __m256i x)
{
	_mm256_storeu_si256((__m256i *)(void *)p, x);
}

/* Copy the bytes whose bits are set in `kept`. Returns the end of the copy. */
static inline uint8_t *copy_kept(uint8_t *out, const uint8_t *bytes, uint64_t kept)
{
	for (int i = 0; i < 64; i += 8) {
		unsigned bits = (unsigned)(kept >> i) & 255;
		__m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(bytes + i));
		__m128i places = _mm_loadl_epi64((const __m128i *)(const void *)&places_of[bits]);
		_mm_storel_epi64((__m128i *)(void *)out, _mm_shuffle_epi8(eight, places));
		out += __builtin_popcount(bits);
	}
	return out;
}

size_t squeeze_avx2(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white)
{
	const __m256i blank = _mm256_set1_epi8(' ');
	uint64_t before = *is_after_white;
	uint8_t *next = out;
	size_t i = 0;

	for (; i + 64 <= size; i += 64) {
		__m256i low = load(bytes + i), high = load(bytes + i + 32);
		__m256i white_low = white_bytes(low), white_high = white_bytes(high);
		uint64_t white = (uint32_t)_mm256_movemask_epi8(white_low) |
				 (uint64_t)(uint32_t)_mm256_movemask_epi8(white_high) << 32;
		uint64_t removed = white & (white << 1 | before);
		_Alignas(32) uint8_t blanked[64];
		low = _mm256_blendv_epi8(low, blank, white_low);
		high = _mm256_blendv_epi8(high, blank, white_high);
		before = white >> 63;
		if (removed == 0) {
			store(next, low);
			store(next + 32, high);
			next += 64;
			continue;
		}
		store(blanked, low);
		store(blanked + 32, high);
		next = copy_kept(next, blanked, ~removed);
	}
	*is_after_white = before != 0;
	next += squeeze_portable(next, bytes + i, size - i, is_after_white);
	return (size_t)(next - out);
}
