/*
 * Replaces runs of white space with NEON, 16 bytes at a time.
 * SPDX-License-Identifier: MIT
 */
#include <arm_neon.h>

#include "core/scan_kernel.h"
#include "core/squeeze.h"

/* All bits of each byte that is white space. */
static inline uint8x16_t white_bytes(uint8x16_t x)
{
	uint8x16_t control = vsubq_u8(x, vdupq_n_u8('\t'));

	return vorrq_u8(vceqq_u8(x, vdupq_n_u8(' ')), vcleq_u8(control, vdupq_n_u8('\r' - '\t')));
}

static inline unsigned bits_of(uint8x16_t bytes)
{
	static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	uint8x16_t bits = vandq_u8(bytes, vld1q_u8(place));

	return vaddv_u8(vget_low_u8(bits)) | (unsigned)vaddv_u8(vget_high_u8(bits)) << 8;
}

static inline uint8_t *copy_kept(uint8_t *out, uint8x8_t bytes, unsigned kept)
{
	vst1_u8(out, vtbl1_u8(bytes, vcreate_u8(places_of[kept])));
	return out + __builtin_popcount(kept);
}

size_t squeeze_neon(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white)
{
	unsigned before = *is_after_white;
	uint8_t *next = out;
	size_t i = 0;

	for (; i + 16 <= size; i += 16) {
		uint8x16_t x = vld1q_u8(bytes + i), white = white_bytes(x);
		unsigned bits = bits_of(white), removed = bits & (bits << 1 | before);
		x = vbslq_u8(white, vdupq_n_u8(' '), x);
		before = bits >> 15;
		if (removed == 0) {
			vst1q_u8(next, x);
			next += 16;
			continue;
		}
		next = copy_kept(next, vget_low_u8(x), ~removed & 255);
		next = copy_kept(next, vget_high_u8(x), ~removed >> 8 & 255);
	}
	*is_after_white = before != 0;
	next += squeeze_portable(next, bytes + i, size - i, is_after_white);
	return (size_t)(next - out);
}
