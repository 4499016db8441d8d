/*
 * Scans 64 lanes at once with AVX-512 and its byte instructions (BW).
 * SPDX-License-Identifier: MIT
 */
#include "core/scan_kernel.h"
#include "core/x86/lanes_avx512.h"

#define v_look_up _mm512_shuffle_epi8
/* The 16-bit shift brings in bits of the neighbouring byte, and vpshufb depends on bit 7. */
#define v_low(x) v_and(x, _mm512_set1_epi8(0x0f))
#define v_right(x, n) v_low(_mm512_srli_epi16(x, n))

static inline __m512i v_join(__m512i a, __m512i b)
{
	return _mm512_ternarylogic_epi64(_mm512_set1_epi8((char)0xf0), _mm512_slli_epi16(a, 4),
					 _mm512_srli_epi16(b, 4), IF_A_THEN_B_ELSE_C);
}

#include "core/lanes_template.h"

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2");
}

const struct scan_kernel scan_kernel_avx512 = {
	.name = "avx512",
	.is_supported = is_supported,
	.update = update,
	.add_shingles = add_shingles_avx512,
	.squeeze = squeeze_avx2,
};
