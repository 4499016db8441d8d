/*
 * Adds the shingles of a resemblance sketch with NEON: defines the vector operations and includes
 * resemblance_template.h.
 * SPDX-License-Identifier: MIT
 */
#include <arm_neon.h>

#include "core/scan_kernel.h"

#define VECTOR uint16x8_t
#define SIZE 16

#define v_load(p) vreinterpretq_u16_u8(vld1q_u8(p))
#define v_store(p, x) vst1q_u16(p, x)
#define v_words(n) vdupq_n_u16(n)
#define v_add vaddq_u16
#define v_multiply vmulq_u16
#define v_after(a, b, n) vextq_u16(a, b, n)

static inline uint16_t v_hits(uint16x8_t even, uint16x8_t odd, uint16x8_t bits)
{
	static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	/* The upper bytes of all positions, and the bit of each position. */
	uint8x16_t upper = vreinterpretq_u8_u16(vsriq_n_u16(odd, even, 8));
	uint8x16_t hit = vbicq_u8(vld1q_u8(place), vtstq_u8(upper, vreinterpretq_u8_u16(bits)));

	return (uint16_t)(vaddv_u8(vget_low_u8(hit)) | vaddv_u8(vget_high_u8(hit)) << 8);
}

#include "core/resemblance_template.h"

void add_shingles_neon(struct resemblance_registers *registers, unsigned level,
		       const uint8_t *bytes, size_t positions)
{
	add_shingles(registers, level, bytes, positions);
}
