/*
 * Every way to compare sixteen rows at a time, against one row after the other.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "find/near.h"
#include "random.h"

#define CHUNKS 200

static uint8_t sums[CHUNKS][LANES][SUMS];
static uint16_t tags[CHUNKS][SIMHASH_TAGS][LANES];

/* Modulo 2^16, as the rows are compared. */
static uint16_t apart(uint16_t x, uint16_t y)
{
	int16_t difference = (int16_t)(uint16_t)(x - y);

	return (uint16_t)(difference < 0 ? -difference : difference);
}

static bool is_near(const struct nearness *near, size_t row)
{
	uint16_t by_tags = 0;
	int by_sums = 0;

	for (unsigned s = 0; s < SUMS; s++)
		by_sums += abs(sums[row / LANES][row % LANES][s] - near->sums[s]);
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		by_tags = (uint16_t)(by_tags +
				     apart(tags[row / LANES][t][row % LANES], near->tags[t]));
	return by_sums <= near->reach && by_tags <= near->reach_of_tags;
}

static void expect_all(near_fn *next, const struct nearness *near, size_t first, size_t end)
{
	const struct near_rows rows = {sums, tags};
	size_t chunk = first, expected = first;
	unsigned mask;

	for (; (mask = next(&rows, near, &chunk, end)) != 0; chunk++, expected++) {
		for (; expected < chunk; expected++)
			for (size_t i = 0; i < LANES; i++)
				assert_false(is_near(near, expected * LANES + i));
		for (size_t i = 0; i < LANES; i++)
			assert_int_equal(is_near(near, chunk * LANES + i), mask >> i & 1);
	}
	for (; expected < end; expected++)
		for (size_t i = 0; i < LANES; i++)
			assert_false(is_near(near, expected * LANES + i));
}

static void every_way_equals_one_by_one(void **state)
{
	struct nearness near;

	(void)state;
	random_begin();
	for (int round = 0; round < 300; round++) {
		/* From rows that are all near to rows of which none is. */
		uint16_t spread = (uint16_t)(1u << round % 17) - 1;
		for (size_t i = 0; i < CHUNKS * SUMS * LANES; i++)
			(&sums[0][0][0])[i] = (uint8_t)(next_random() & spread);
		for (size_t i = 0; i < CHUNKS * SIMHASH_TAGS * LANES; i++)
			(&tags[0][0][0])[i] = (uint16_t)next_random() & spread;
		for (unsigned s = 0; s < SUMS; s++)
			near.sums[s] = (uint8_t)(next_random() & spread);
		for (unsigned t = 0; t < SIMHASH_TAGS; t++)
			near.tags[t] = (uint16_t)next_random() & spread;
		near.reach = (uint16_t)(next_random() % (3u * spread + 1));
		near.reach_of_tags = near.reach;
		near.reach %= SUMS * UINT8_MAX + 1;
		expect_all(near_next_portable, &near, 0, CHUNKS);
		expect_all(near_choose(), &near, (size_t)round % CHUNKS, CHUNKS);
#ifdef SIMHASH_X86_KERNELS
		if (__builtin_cpu_supports("avx2"))
			expect_all(near_next_avx2, &near, (size_t)round % CHUNKS, CHUNKS);
#endif
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_equals_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
