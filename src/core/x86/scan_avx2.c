/*
 * Scans 32 lanes at once with AVX2.
 * SPDX-License-Identifier: MIT
 */
#include <immintrin.h>

#include "core/scan_kernel.h"

#define VECTOR __m256i
#define LANES 32

#define v_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#define v_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define v_zip_low _mm256_unpacklo_epi8
#define v_zip_high _mm256_unpackhi_epi8
#define v_zero _mm256_setzero_si256
#define v_look_up _mm256_shuffle_epi8
#define v_and _mm256_and_si256
#define v_or _mm256_or_si256
#define v_xor _mm256_xor_si256
#define v_and_not(a, b) _mm256_andnot_si256(b, a)
/* The 16-bit shift brings in bits of the neighbouring byte, and vpshufb depends on bit 7. */
#define v_low(x) _mm256_and_si256(x, _mm256_set1_epi8(0x0f))
#define v_right(x, n) v_low(_mm256_srli_epi16(x, n))
#define v_join(a, b) _mm256_or_si256(_mm256_slli_epi16(v_low(a), 4), v_right(b, 4))

static inline __m256i v_table(const uint8_t *table)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

static inline __m256i v_load_rows(const uint8_t *p, size_t stride)
{
	return _mm256_loadu2_m128i((const __m128i *)(const void *)(p + stride),
				   (const __m128i *)(const void *)p);
}

static inline void v_store_rows(uint8_t *p, size_t stride, __m256i x)
{
	_mm256_storeu2_m128i((__m128i *)(void *)(p + stride), (__m128i *)(void *)p, x);
}

static inline void v_count(__m256i x, uint64_t count[8])
{
	for (int i = 7; i >= 0; i--) {
		count[i] += (uint64_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(x));
		x = _mm256_add_epi8(x, x);
	}
}

#include "core/lanes_template.h"

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const struct scan_kernel scan_kernel_avx2 = {
	.name = "avx2",
	.is_supported = is_supported,
	.update = update,
	.add_shingles = add_shingles_avx2,
	.squeeze = squeeze_avx2,
};
