/*
 * Compares every function that compares sixteen rows at a time with a comparison row by row.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "find/rule/near.h"
#include "random.h"

#define CHUNKS 200

static uint8_t sums[CHUNKS][LANES][SUMS];
static uint16_t tags[CHUNKS][SIMHASH_TAGS][LANES];

/* Modulo 2^16, like the comparison of rows. */
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
		/* From all rows near to no row near. */
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

/* A count of at most 2^bits. */
static uint64_t random_count(unsigned bits)
{
	return next_random() >> (64 - bits) >> next_random() % bits;
}

/* All rows within reach are among the rows found, no matter how values are rounded and cut off. */
static void no_row_within_reach_is_lost(void **state)
{
	const struct near_rows rows = {sums, tags};

	(void)state;
	random_begin();
	for (int round = 0; round < 20000; round++) {
		unsigned power = 1 + (unsigned)(next_random() % 50);
		uint64_t reach = UINT64_C(1) << (power - 1), left;
		struct simhash_sum_table sought, row;
		struct nearness near;
		size_t chunk = 0, number = next_random() % LANES;
		reach += next_random() % reach;
		left = reach;
		for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
			uint64_t apart = t + 1 < SIMHASH_TAGS ? next_random() % (left / 4 + 1)
							      : left;
			sought.count[t] = random_count(power + 4);
			if (next_random() % 2 == 0 && sought.count[t] >= apart)
				row.count[t] = sought.count[t] - apart;
			else
				row.count[t] = sought.count[t] + apart;
			left -= apart;
		}
		near = nearness_of(&sought, reach, power);
		near_rows_set(&rows, number, &row, power);
		assert_true(near_next_portable(&rows, &near, &chunk, 1) >> number & 1);
		assert_true(near_choose()(&rows, &near, &chunk, 1) >> number & 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_equals_one_by_one),
		cmocka_unit_test(no_row_within_reach_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
