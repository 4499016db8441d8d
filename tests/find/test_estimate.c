/*
 * Tests the estimate of changes on generated edits and on unrelated files: the error must be within
 * the documented limits.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data.h"
#include "find/rule/estimate.h"

#define SIZE 200000
#define TRIALS 40

static struct simhash_tag_set *sample;
static uint8_t a[2 * SIZE], b[2 * SIZE], other[2 * SIZE];

static struct simhash_sum_table count(const uint8_t *bytes, size_t size)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	simhash_scanner_init(&scanner, sample);
	simhash_scanner_update(&scanner, bytes, size);
	simhash_scanner_finish(&scanner, &table);
	return table;
}

static double estimate(const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size)
{
	struct simhash_sum_table x_table = count(x, x_size), y_table = count(y, y_size);

	return estimate_change(&x_table, (int64_t)x_size, &y_table, (int64_t)y_size);
}

/* Different data of the same kind for each seed. */
static void fill(enum data_kind kind, uint64_t seed, uint8_t *bytes, size_t size)
{
	data_seed(seed);
	if (kind == DATA_RANDOM)
		for (size_t i = 0; i < size; i++)
			bytes[i] = data_random_byte();
	else /* bytes with half of all values, so that tags occur with different frequencies */
		for (size_t i = 0; i < size; i++)
			bytes[i] = data_random_byte() & data_random_byte();
}

/* The mean estimate over many files if `share` of a file is replaced. */
static double mean_of_replaced(enum data_kind kind, double share)
{
	size_t changed = (size_t)(share * SIZE);
	double sum = 0;

	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		fill(kind, 2 * trial, a, SIZE);
		fill(kind, 2 * trial + 1, other, SIZE);
		memcpy(b, a, SIZE);
		memcpy(b + SIZE / 3, other, changed);
		sum += estimate(a, SIZE, b, SIZE);
	}
	return sum / TRIALS;
}

/* With 13 degrees of freedom and 40 trials, the mean is usually off by 6 %. */
static void what_is_replaced_is_estimated(void **state)
{
	static const double shares[] = {0.002, 0.01, 0.05, 0.2, 0.6};

	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		for (int kind = 0; kind < 2; kind++) {
			double mean = mean_of_replaced((enum data_kind)kind, shares[i]);
			if (mean < 0.65 * shares[i] || mean > 1.5 * shares[i])
				fail_msg("kind %d: %f estimated as %f", kind, shares[i], mean);
		}
}

static void what_is_appended_or_cut_off_is_estimated(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		double sum = 0;
		for (uint64_t trial = 0; trial < TRIALS; trial++) {
			fill((enum data_kind)kind, trial, a, SIZE + SIZE / 20);
			sum += estimate(a, SIZE, a, SIZE + SIZE / 20);
		}
		assert_true(sum / TRIALS > 0.04 && sum / TRIALS < 0.11);
	}
}

static void unrelated_files_have_changed(void **state)
{
	double sum = 0;

	(void)state;
	for (uint64_t trial = 0; trial < 5 * TRIALS; trial++) {
		fill(DATA_WORDS, 2 * trial, a, SIZE / 4);
		fill(DATA_WORDS, 2 * trial + 1, b, SIZE / 4);
		sum += estimate(a, SIZE / 4, b, SIZE / 4);
	}
	assert_true(sum / (5 * TRIALS) > 0.6);
}

static void what_is_equal_has_not_changed(void **state)
{
	(void)state;
	fill(DATA_RANDOM, 1, a, SIZE);
	assert_true(estimate(a, SIZE, a, SIZE) == 0);
	assert_true(estimate(a, 0, a, 0) == 0);
	assert_true(estimate(a, 0, a, SIZE) == 1);
}

static int set_up(void **state)
{
	struct simhash_error error;

	(void)state;
	return simhash_tag_set_new_default(&sample, &error);
}

static int tear_down(void **state)
{
	(void)state;
	simhash_tag_set_free(sample);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_replaced_is_estimated),
		cmocka_unit_test(what_is_appended_or_cut_off_is_estimated),
		cmocka_unit_test(unrelated_files_have_changed),
		cmocka_unit_test(what_is_equal_has_not_changed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
