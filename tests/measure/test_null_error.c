/*
 * Tests that every public function with an error argument accepts NULL for it.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simhash_measures.h"

static void tag_sets(void **state)
{
	static const struct simhash_tag same[SIMHASH_TAGS] = {{0}};
	struct simhash_tag_set *set;

	(void)state;
	assert_int_equal(simhash_tag_set_new("ok", same, &set, NULL), -1);
	assert_null(set);
	assert_int_equal(simhash_tag_set_parse("x", 1, "file", &set, NULL), -1);
	assert_null(set);
	assert_int_equal(simhash_tag_set_read("/no/such/file", &set, NULL), -1);
	assert_null(set);
	assert_int_equal(simhash_tag_set_new_default(&set, NULL), 0);
	simhash_tag_set_free(set);
}

static void names_and_numbers(void **state)
{
	struct simhash_tolerance tolerance;
	enum simhash_key key;
	int64_t value;

	(void)state;
	assert_int_equal(simhash_kernel_select("none", NULL), -1);
	assert_int_equal(simhash_key_parse("none", &key, NULL), -1);
	assert_int_equal(simhash_tolerance_from_percent(101, &tolerance, NULL), -1);
	assert_int_equal(simhash_tolerance_parse("x", &value, NULL), -1);
	assert_int_equal(simhash_size_ratio_parse("x", &value, NULL), -1);
}

static int fail_pair(void *context, size_t a, size_t b, double similarity,
		     struct simhash_error *error)
{
	(void)context;
	(void)a;
	(void)b;
	(void)similarity;
	assert_null(error);
	return -1;
}

static int fail_near(void *context, size_t a, size_t b, unsigned distance,
		     struct simhash_error *error)
{
	return fail_pair(context, a, b, distance, error);
}

static int fail_found(void *context, size_t i, unsigned distance, struct simhash_error *error)
{
	return fail_pair(context, i, 0, distance, error);
}

static void measures(void **state)
{
	static const uint8_t sketches[16] = {0};
	struct simhash_weights *weights;
	struct simhash_measure *measure;
	struct simhash_sketcher *sketcher;
	uint8_t sketch[8];

	(void)state;
	assert_int_equal(simhash_weights_parse("x\n", 2, "file", &weights, NULL), -1);
	assert_null(weights);
	assert_int_equal(simhash_weights_read("/no/such/file", &weights, NULL), -1);
	assert_null(weights);
	assert_int_equal(simhash_weights_parse("1 a b\n", 6, "file", &weights, NULL), 0);
	assert_int_equal(simhash_measure_new_weighted("simhash64:words", weights, &measure, NULL),
			 -1);
	assert_null(measure);
	simhash_weights_free(weights);
	assert_int_equal(simhash_measure_new("none", &measure, NULL), -1);
	assert_null(measure);
	assert_int_equal(simhash_measure_new("simhash64", &measure, NULL), 0);
	assert_int_equal(simhash_sketcher_new(measure, &sketcher, NULL), 0);
	assert_int_equal(simhash_sketcher_finish(sketcher, sketch, 7, NULL, NULL), -1);
	assert_int_equal(simhash_sketcher_finish(sketcher, sketch, 8, NULL, NULL), 0);
	assert_int_equal(simhash_sketch_pairs(measure, sketches, 2, 2, fail_pair, NULL, NULL), -1);
	assert_int_equal(simhash_sketch_pairs(measure, sketches, 2, 1, fail_pair, NULL, NULL), -1);
	simhash_sketcher_free(sketcher);
	simhash_measure_free(measure);
}

static void searches(void **state)
{
	static const uint64_t same[2] = {5, 5};
	struct simhash_hamming_index *index;

	(void)state;
	assert_int_equal(simhash_hamming_pairs(same, 2, 9, fail_near, NULL, NULL), -1);
	assert_int_equal(simhash_hamming_pairs(same, 2, 3, fail_near, NULL, NULL), -1);
	assert_int_equal(simhash_hamming_index_new(same, 2, 9, &index, NULL), -1);
	assert_null(index);
	assert_int_equal(simhash_hamming_index_new(same, 2, 3, &index, NULL), 0);
	assert_int_equal(simhash_hamming_index_query(index, 5, fail_found, NULL, NULL), -1);
	simhash_hamming_index_free(index);
}

static void exact_measures(void **state)
{
	char a[2000], b[2000];
	struct simhash_lcs_lines lines;
	struct simhash_overlap overlap;
	uint64_t length;

	(void)state;
	for (size_t i = 0; i < sizeof a; i++) {
		a[i] = (char)('a' + i * i % 23);
		b[i] = (char)('a' + i * 7 % 19);
	}
	assert_int_equal(simhash_lcs_bytes(a, sizeof a, b, sizeof b, 1, &length, NULL), -1);
	for (size_t i = 1; i < sizeof a; i += 2)
		a[i] = b[i] = '\n';
	assert_int_equal(simhash_lcs_lines(a, sizeof a, b, sizeof b, 1, &lines, NULL), -1);
	assert_int_equal(simhash_overlap("none", "a", 1, "a", 1, &overlap, NULL), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tag_sets),	  cmocka_unit_test(names_and_numbers),
		cmocka_unit_test(measures),	  cmocka_unit_test(searches),
		cmocka_unit_test(exact_measures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
