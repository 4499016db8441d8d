/*
 * Scans 64 lanes at once with AVX-512 and its byte permutations (VBMI).
 * SPDX-License-Identifier: MIT
 */
#include "core/scan_kernel.h"
#include "core/x86/lanes_avx512.h"

#define HAS_WIDE_LOOK_UPS
#define v_look_up(t, x) _mm512_permutexvar_epi8(x, t)
/* The 16-bit shift brings in bits of the neighbouring byte. */
#define v_right(x, n) _mm512_srli_epi16(x, n)

static inline __m512i v_join(__m512i a, __m512i b)
{
	return _mm512_ternarylogic_epi64(_mm512_set1_epi8((char)0xe0), _mm512_slli_epi16(a, 5),
					 _mm512_srli_epi16(b, 3), IF_A_THEN_B_ELSE_C);
}

#include "core/lanes_template.h"

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const struct scan_kernel scan_kernel_avx512vbmi = {
	.name = "avx512vbmi",
	.is_supported = is_supported,
	.update = update,
	.add_shingles = add_shingles_avx512,
	.squeeze = squeeze_avx2,
};
