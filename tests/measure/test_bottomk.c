/*
 * Tests that bottom-k sketches are the smallest of all hashes, sorted.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#include "random.h"
#include "simhash_measures.h"
#include "sketching.h"

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void bottomk_is_the_smallest_hashes(void **state)
{
	static uint8_t bytes[3000];
	uint64_t hashes[3000];
	uint8_t sketch[64 * 8];
	struct simhash_measure *measure = measure_of("bottomk");

	(void)state;
	for (size_t size = 8; size <= sizeof bytes; size += size < 200 ? 1 : 977) {
		size_t count = 0, kept = 0;
		make_content(bytes, size, (int)(size % 5));
		for (size_t i = 0; i + 8 <= size; i++)
			hashes[count++] = XXH3_64bits(bytes + i, 8);
		qsort(hashes, count, sizeof *hashes, compare_numbers);
		for (size_t i = 0; i < count; i++)
			if (i == 0 || hashes[i] != hashes[i - 1])
				hashes[kept++] = hashes[i];
		sketch_of("bottomk", bytes, size, sketch);
		for (size_t i = 0; i < 64; i++)
			assert_int_equal(number_at(sketch + 8 * i),
					 i < kept ? hashes[i] : UINT64_MAX);
		if (kept >= 4)
			assert_int_equal((uint64_t)simhash_sketch_cluster(measure, sketch),
					 hashes[0] ^ hashes[1] ^ hashes[2] ^ hashes[3]);
	}
	simhash_measure_free(measure);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bottomk_is_the_smallest_hashes),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
