/*
 * Tests exact measures of two contents: longest common subsequences and overlap.
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

#include "random.h"
#include "simhash_measures.h"

static struct simhash_error error;

/* {a, b, c} and {a, b, d}: a half. "roses are red ..." in shingles of three words. */
static void bags_and_shingles_as_told(void **state)
{
	struct simhash_overlap overlap;
	static const char roses[] = "roses are red and violets are blue";

	(void)state;
	assert_int_equal(simhash_overlap("words", "a b c", 5, "a b d", 5, &overlap, &error), 0);
	assert_int_equal(overlap.both, 2);
	assert_int_equal(overlap.either, 4);
	assert_int_equal(simhash_overlap("words=3", roses, strlen(roses), "are red and", 11,
					 &overlap, &error),
			 0);
	assert_int_equal(overlap.a, 5);
	assert_int_equal(overlap.b, 1);
	assert_int_equal(overlap.both, 1);
}

static uint64_t lcs_plain(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint64_t *row = calloc(m + 1, sizeof *row), length;

	for (size_t i = 0; i < n; i++) {
		uint64_t diagonal = 0;
		for (size_t k = 0; k < m; k++) {
			uint64_t above = row[k + 1];
			row[k + 1] = a[i] == b[k] ? diagonal + 1 : above > row[k] ? above : row[k];
			diagonal = above;
		}
	}
	length = row[m];
	free(row);
	return length;
}

static void lcs_equals_the_table(void **state)
{
	static uint8_t a[3000], b[3000];

	(void)state;
	for (int round = 0; round < 400; round++) {
		size_t n = next_random() % (round % 8 == 0 ? 3000 : 80);
		size_t m = next_random() % (round % 8 == 0 ? 3000 : 80);
		unsigned alphabet = 1U << (1 + round % 8);
		uint64_t length;
		for (size_t i = 0; i < n; i++)
			a[i] = (uint8_t)(next_random() % alphabet);
		for (size_t i = 0; i < m; i++) {
			if (round % 3 == 0 && i < n && next_random() % 50 != 0)
				b[i] = a[i];
			else
				b[i] = (uint8_t)(next_random() % alphabet);
		}
		assert_int_equal(simhash_lcs_bytes(a, n, b, m, 0, &length, &error), 0);
		assert_int_equal(length, lcs_plain(a, n, b, m));
	}
	/* It reports when the bound is exceeded. */
	for (size_t i = 0; i < sizeof a; i++) {
		a[i] = (uint8_t)next_random();
		b[i] = (uint8_t)next_random();
	}
	{
		uint64_t length;
		assert_int_equal(simhash_lcs_bytes(a, sizeof a, b, sizeof b, 1000, &length, &error),
				 -1);
		assert_int_equal(error.code, SIMHASH_E_RANGE);
	}
}

/* Long equal runs count as steps, so each difference takes many. */
static void lcs_is_bounded_on_sparse_contents(void **state)
{
	enum { SIZE = 2000000 };
	uint8_t *a = calloc(SIZE, 1), *b = calloc(SIZE, 1);
	uint64_t length;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		a[next_random() % SIZE] = (uint8_t)next_random();
		b[next_random() % SIZE] = (uint8_t)next_random();
	}
	assert_int_equal(simhash_lcs_bytes(a, SIZE, b, SIZE, 100000000, &length, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	/* Identical contents need no steps. */
	assert_int_equal(simhash_lcs_bytes(a, SIZE, a, SIZE, 100, &length, &error), 0);
	assert_int_equal(length, SIZE);
	free(a);
	free(b);
}

static void lcs_of_lines_counts_lines(void **state)
{
	static char a[40000], b[40000];
	static uint8_t x[2000], y[2000];
	struct simhash_lcs_lines lines;

	(void)state;
	for (int round = 0; round < 60; round++) {
		size_t n = next_random() % 2000, m = next_random() % 2000, at = 0, to = 0;
		for (size_t i = 0; i < n; i++) {
			x[i] = (uint8_t)(next_random() % 200);
			at += (size_t)sprintf(a + at, "line %u\n", x[i]);
		}
		for (size_t i = 0; i < m; i++) {
			if (i < n && next_random() % 4 != 0)
				y[i] = x[i];
			else
				y[i] = (uint8_t)(next_random() % 256);
			to += (size_t)sprintf(b + to, "line %u\n", y[i]);
		}
		assert_int_equal(simhash_lcs_lines(a, at, b, to, 0, &lines, &error), 0);
		assert_int_equal(lines.lines_a, n);
		assert_int_equal(lines.lines_b, m);
		assert_int_equal(lines.common, lcs_plain(x, n, y, m));
	}
	/* A last line without a newline differs from the same line with one. */
	assert_int_equal(simhash_lcs_lines("x\ny", 3, "x\ny\n", 4, 0, &lines, &error), 0);
	assert_int_equal(lines.common, 1);
}

static void overlap_counts_sets_and_bags(void **state)
{
	struct simhash_overlap o;

	(void)state;
	assert_int_equal(simhash_overlap("bytes=2", "aaab", 4, "aabb", 4, &o, &error), 0);
	/* Aa aa ab; aa ab bb. */
	assert_int_equal(o.a, 2);
	assert_int_equal(o.b, 3);
	assert_int_equal(o.both, 2);
	assert_int_equal(o.either, 3);
	assert_int_equal(o.bag_a, 3);
	assert_int_equal(o.bag_b, 3);
	assert_int_equal(o.bag_both, 2);
	assert_int_equal(o.bag_either, 4);
	assert_int_equal(simhash_overlap("words", "", 0, "", 0, &o, &error), 0);
	assert_int_equal(o.either, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bags_and_shingles_as_told),
		cmocka_unit_test(lcs_equals_the_table),
		cmocka_unit_test(lcs_is_bounded_on_sparse_contents),
		cmocka_unit_test(lcs_of_lines_counts_lines),
		cmocka_unit_test(overlap_counts_sets_and_bags),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
