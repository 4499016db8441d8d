/*
 * Adds the shingles of a resemblance sketch with vectors of 16 bytes, which compilers offer for
 * most processors.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/scan_kernel.h"

typedef uint16_t words __attribute__((vector_size(16)));
typedef uint32_t double_words __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

#define VECTOR words
#define SIZE 16

static inline words v_load(const uint8_t *p)
{
	words x;

	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = x << 8 | x >> 8;
#endif
	return x;
}

#define v_store(p, x) memcpy(p, &(x), sizeof(x))
#define v_words(n) ((words){0} + (uint16_t)(n))
#define v_add(a, b) ((a) + (b))
#define v_multiply(a, b) ((a) * (b))
/* Words are moved in pairs, because gcc moves single words one by one. */
#ifdef __clang__
#define v_after(a, b, n)                                                               \
	((words)__builtin_shufflevector((double_words)(a), (double_words)(b), (n) / 2, \
					(n) / 2 + 1, (n) / 2 + 2, (n) / 2 + 3))
#else
#define v_after(a, b, n)                                                \
	((words)__builtin_shuffle((double_words)(a), (double_words)(b), \
				  (double_words){(n) / 2, (n) / 2 + 1, (n) / 2 + 2, (n) / 2 + 3}))
#endif

static inline uint16_t v_hits(words even, words odd, words bits)
{
	const words even_place = {1, 4, 16, 64, 256, 1024, 4096, 16384};
	const words upper = bits & 0xff00;
	words hit = ((words)((even & upper) == 0) & even_place) |
		    ((words)((odd & upper) == 0) & even_place << 1);
	halves half = (halves)hit;
	uint64_t all = half[0] | half[1];

	all |= all >> 32;
	all |= all >> 16;
	return (uint16_t)all;
}

#include "core/resemblance_template.h"

void add_shingles_portable(struct resemblance_registers *registers, unsigned level,
			   const uint8_t *bytes, size_t positions)
{
	add_shingles(registers, level, bytes, positions);
}
