/*
 * Compares MinHash sketches with all draws of all features.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#include "measure/measure.h"
#include "random.h"
#include "simhash_measures.h"
#include "sketching.h"

/* SuperMinHash as in its paper: every draw of every feature. */
static void minhash_plainly(const uint8_t *bytes, size_t size, unsigned shift, uint8_t *sketch)
{
	static uint64_t value[1024];
	unsigned functions = 1U << shift, order[1024];

	memset(value, 0xff, sizeof value);
	for (size_t i = 0; i + 8 <= size; i++) {
		uint64_t random = XXH3_64bits(bytes + i, 8);
		for (unsigned k = 0; k < functions; k++)
			order[k] = k;
		for (unsigned level = 0; level < functions; level++) {
			unsigned pick = (unsigned)random & (functions - 1), function;
			uint64_t number;
			if (level > 0) {
				random = mix_bits(random + UINT64_C(0x9e3779b97f4a7c15));
				pick = level +
				       (unsigned)((mix_bits(random) >> 32) * (functions - level) >>
						  32);
			}
			function = order[pick];
			order[pick] = order[level];
			order[level] = function;
			number = (uint64_t)level << (64 - shift) | random >> shift;
			if (number < value[function])
				value[function] = number;
		}
	}
	for (unsigned k = 0; k < functions; k++) {
		uint64_t mixed = value[k] + (value[k] >> (64 - shift)) * 0x9e37;
		sketch[2 * k] = (uint8_t)(mixed >> 8);
		sketch[2 * k + 1] = (uint8_t)mixed;
	}
}

static void minhash_is_that_of_all_draws(void **state)
{
	static uint8_t bytes[20000];
	static const size_t sizes[] = {8, 9, 15, 16, 17, 40, 300, 1031, 1040, 5000, 20000};
	static const char *const measures[] = {"minhash:functions=16", "minhash"};
	uint8_t expected[SIMHASH_SKETCH_MAX], sketch[SIMHASH_SKETCH_MAX];

	(void)state;
	for (int m = 0; m < 2; m++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (int kind = 0; kind < 5; kind++) {
				make_content(bytes, sizes[s], kind);
				minhash_plainly(bytes, sizes[s], m == 0 ? 4 : 7, expected);
				sketch_of(measures[m], bytes, sizes[s], sketch);
				assert_memory_equal(sketch, expected, m == 0 ? 32 : 256);
			}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(minhash_is_that_of_all_draws),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
