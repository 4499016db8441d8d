/*
 * The scan kernel for AVX-512 with byte instructions (BW), and no more.
 * SPDX-License-Identifier: MIT
 */
#include "core/x86/avx512.h"

/* The 16-bit shift brings bits of the neighbour; vpshufb minds bit 7. */
#define v_low(x) v_and(x, _mm512_set1_epi8(0x0f))
#define v_right(x, n) v_low(_mm512_srli_epi16(x, n))
#define v_look_up _mm512_shuffle_epi8

#include "core/lanes_template.h"

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("popcnt");
}

const struct scan_kernel scan_kernel_avx512 = {
	.name = "avx512",
	.is_supported = is_supported,
	.update = update,
};
