/*
 * Scans 16 lanes at once with NEON, which every 64-bit ARM processor has.
 * SPDX-License-Identifier: MIT
 */
#include <arm_neon.h>

#include "core/scan_kernel.h"

#define VECTOR uint8x16_t
#define LANES 16
#define HALVES 2 /* there are enough registers for both */

#define v_load(p) vld1q_u8(p)
#define v_load_rows(p, stride) ((void)(stride), vld1q_u8(p))
#define v_store_rows(p, stride, x) ((void)(stride), vst1q_u8(p, x))
#define v_zip_low vzip1q_u8
#define v_zip_high vzip2q_u8
#define v_zero() vdupq_n_u8(0)
#define v_table(t) vld1q_u8(t)
#define v_low(x) vandq_u8(x, vdupq_n_u8(0x0f))
#define v_right(x, n) v_low(vshrq_n_u8(x, n))
#define v_join(a, b) vsliq_n_u8(vshrq_n_u8(b, 4), a, 4)
#define v_look_up vqtbl1q_u8
#define v_and vandq_u8
#define v_or vorrq_u8
#define v_xor veorq_u8
#define v_and_not vbicq_u8

static inline void v_count(uint8x16_t x, uint64_t count[8])
{
	for (int i = 7; i >= 0; i--) {
		count[i] += vaddvq_u8(vshrq_n_u8(x, 7));
		x = vaddq_u8(x, x);
	}
}

#include "core/lanes_template.h"

static bool is_supported(void)
{
	return true;
}

const struct scan_kernel scan_kernel_neon = {
	.name = "neon",
	.is_supported = is_supported,
	.update = update,
	.add_shingles = add_shingles_neon,
	.squeeze = squeeze_neon,
};
