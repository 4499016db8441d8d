/*
 * Tests keys, extensions and distances with worked examples, and compares them with the oracle on
 * random tables.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"
#include "simhash.h"

static struct simhash_tag_set *sample;
static struct simhash_error error;

static struct simhash_keys keys_of(const struct simhash_sum_table *table, const char *name)
{
	struct simhash_keys keys;

	simhash_keys_compute(sample, table, name, strlen(name), &keys);
	return keys;
}

static void keys_of_the_check_values(void **state)
{
	struct simhash_sum_table zeros = {{2}}, empty = {{0}};
	struct simhash_keys keys = keys_of(&zeros, "zeros");

	(void)state;
	assert_int_equal(keys.key[SIMHASH_UNIFORM], 2);
	assert_int_equal(keys.key[SIMHASH_SCATTER], 2);
	assert_int_equal(keys.key[SIMHASH_SKEW], 12);
	assert_int_equal(keys.key[SIMHASH_SKEW_EXT], 12); /* no shift without an extension */
	keys = keys_of(&empty, "empty");
	for (int k = 0; k < SIMHASH_KEYS; k++)
		assert_int_equal(keys.key[k], 0);
}

static void keys_truncate_every_term_on_its_own(void **state)
{
	/* 1.28 * 3 = 3.84 and 1.24 * 3 = 3.72 make 3 + 3, not 7; 4.03 * 3 = 12.09. */
	struct simhash_sum_table table = {{3, 3}};
	struct simhash_keys keys = keys_of(&table, "x");

	(void)state;
	assert_int_equal(keys.key[SIMHASH_UNIFORM], 6);
	assert_int_equal(keys.key[SIMHASH_SCATTER], 6);
	assert_int_equal(keys.key[SIMHASH_SKEW], 18 + 12);
}

static void keys_are_64_bit_and_never_wrap(void **state)
{
	struct simhash_sum_table table = {{UINT64_C(5000000000)}};
	struct simhash_keys keys = keys_of(&table, "big.txt");

	(void)state;
	assert_int_equal(keys.key[SIMHASH_SKEW], INT64_C(30000000000));
	assert_int_equal(keys.key[SIMHASH_SCATTER], INT64_C(6400000000));
	memset(&table, 0xff, sizeof table);
	keys = keys_of(&table, "big.txt");
	assert_int_equal(keys.key[SIMHASH_SKEW], INT64_MAX);
	assert_int_equal(keys.key[SIMHASH_SKEW_EXT], INT64_MAX);
}

static void extension_is_what_follows_the_last_dot(void **state)
{
	static const struct {
		const char *name, *extension;
	} cases[] = {
		{"report.txt", "txt"},
		{"archive.tar.gz", "gz"},
		{".bashrc", ""},
		{".config.json", "json"},
		{"Makefile", ""},
		{"trailing.", ""},
		{"..double", "double"},
		{"", ""},
		{".", ""},
		{"a.b.", ""},
		{"x.TXT", "TXT"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *extension;
		size_t size = simhash_extension(cases[i].name, strlen(cases[i].name), &extension);
		if (size != strlen(cases[i].extension) ||
		    memcmp(extension, cases[i].extension, size) != 0)
			fail_msg("'%s': '%.*s'", cases[i].name, (int)size, extension);
	}
}

static void extension_hash_is_the_crc_of_three_lower_case_bytes(void **state)
{
	(void)state;
	/* The results of SELECT CRC32('txt'), CRC32('c') in MariaDB. */
	assert_int_equal(simhash_extension_hash("a.txt", 5), UINT32_C(473390917));
	assert_int_equal(simhash_extension_hash("a.TXT", 5), UINT32_C(473390917));
	assert_int_equal(simhash_extension_hash("a.html", 6), simhash_extension_hash("b.HTM", 5));
	assert_int_equal(simhash_extension_hash("a.c", 3), UINT32_C(112844655));
	assert_int_equal(simhash_extension_hash("a", 1), 0);
	assert_int_equal(simhash_extension_hash(".txt", 4), 0);
	/* Only ASCII letters are converted to lower case. */
	assert_int_not_equal(simhash_extension_hash("a.\xc4", 3),
			     simhash_extension_hash("a.\xe4", 3));
}

static void extension_shifts_a_key_by_crc_times_2_to_the_30(void **state)
{
	struct simhash_sum_table table = {{7, 1}};
	struct simhash_keys keys = keys_of(&table, "a.txt");
	int64_t shift = INT64_C(473390917) * 1073741824;

	(void)state;
	assert_int_equal(keys.key[SIMHASH_SKEW], 46);
	assert_int_equal(keys.key[SIMHASH_SKEW_EXT], shift + 46);
	assert_int_equal(keys.key[SIMHASH_UNIFORM_EXT], shift + 8);
	assert_int_equal(keys.key[SIMHASH_SCATTER_EXT], shift + 8 + 1);
}

static void keys_equal_the_oracle_on_random_tables(void **state)
{
	static const char *const names[] = {"a.txt", "b.JPEG",	     "noext",
					    ".rc",   "x.\xff\xfe.q", "y.z"};
	uint64_t random = 3, counts[16], expected[6];
	struct simhash_sum_table table;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		const char *name = names[round % 6];
		struct simhash_keys keys;
		for (int t = 0; t < 16; t++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			counts[t] = table.count[t] = random >> (20 + round % 40);
		}
		keys = keys_of(&table, name);
		reference_keys(reference_sample, counts, name, strlen(name), expected);
		for (int k = 0; k < SIMHASH_KEYS; k++)
			assert_int_equal(keys.key[k], expected[k]);
	}
}

static void key_names_go_both_ways(void **state)
{
	enum simhash_key key;

	(void)state;
	for (int k = 0; k < SIMHASH_KEYS; k++) {
		assert_int_equal(
			simhash_key_parse(simhash_key_name((enum simhash_key)k), &key, &error), 0);
		assert_int_equal(key, k);
	}
	assert_null(simhash_key_name(SIMHASH_KEYS));
	assert_int_equal(simhash_key_parse("Skew", &key, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_non_null(strstr(error.message, "skew_ext"));
}

static struct simhash_tolerance tolerance(const char *percent)
{
	struct simhash_tolerance made = SIMHASH_TOLERANCE_DEFAULT;

	assert_int_equal(simhash_tolerance_parse(percent, &made.percent_millionths, &error), 0);
	return made;
}

static void tolerances_are_exact_decimals(void **state)
{
	int64_t value;

	(void)state;
	assert_int_equal(simhash_tolerance_parse("1", &value, &error), 0);
	assert_int_equal(value, 1000000);
	assert_int_equal(simhash_tolerance_parse("0.000001", &value, &error), 0);
	assert_int_equal(value, 1);
	assert_int_equal(simhash_tolerance_parse(".5", &value, &error), 0);
	assert_int_equal(value, 500000);
	assert_int_equal(simhash_tolerance_parse("100", &value, &error), 0);
	assert_int_equal(simhash_tolerance_parse("2.5%", &value, &error), 0);
	assert_int_equal(value, 2500000);
	assert_int_equal(simhash_tolerance_parse("5 %", &value, &error), 0);
	assert_int_equal(value, 5000000);
	for (size_t i = 0; i < 9; i++) {
		static const char *const wrong[] = {"",	     "-1",	   "101",
						    "1e3",   "0.0000001",  "1%%",
						    "1.2.3", "100.000001", "99999999999999999999"};
		assert_int_equal(simhash_tolerance_parse(wrong[i], &value, &error), -1);
		assert_non_null(strstr(error.message, "expected a number from 0 to 100"));
	}
	assert_int_equal(simhash_size_ratio_parse("1.5", &value, &error), 0);
	assert_int_equal(value, 1500000);
	assert_int_equal(simhash_size_ratio_parse("0.9", &value, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
}

static bool key_hit(const struct simhash_tolerance *t, int64_t key_a, int64_t key_b, int64_t size_a,
		    int64_t size_b)
{
	return simhash_key_hit(t, &(struct simhash_file){key_a, size_a},
			       &(struct simhash_file){key_b, size_b});
}

static void tolerances_of_a_percentage(void **state)
{
	static const double wrong[] = {-0.001, 100.001, NAN, INFINITY};
	struct simhash_tolerance made, parsed = tolerance("0.37");

	(void)state;
	assert_int_equal(simhash_tolerance_from_percent(0.37, &made, &error), 0);
	assert_memory_equal(&made, &parsed, sizeof made);
	assert_int_equal(simhash_tolerance_from_percent(100, &made, &error), 0);
	assert_int_equal(made.percent_millionths, 100000000);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(simhash_tolerance_from_percent(wrong[i], &made, &error), -1);
		assert_int_equal(error.code, SIMHASH_E_RANGE);
	}
}

static void key_hit_at_and_beyond_its_floor(void **state)
{
	struct simhash_tolerance one = tolerance("1"), tiny = tolerance("0.000001");

	(void)state;
	/* floor(1 % of 299) = 2, for the larger file */
	assert_true(key_hit(&one, 10, 12, 100, 299));
	assert_false(key_hit(&one, 10, 13, 100, 299));
	assert_true(key_hit(&one, 13, 10, 300, 100));
	/* Never below 1. */
	assert_true(key_hit(&tiny, 5, 6, 10, 10));
	assert_false(key_hit(&tiny, 5, 7, 10, 10));
	assert_int_equal(simhash_key_reach(&one, 99), 1);
	assert_int_equal(simhash_key_reach(&one, 299), 2);
	assert_int_equal(simhash_key_reach(&one, INT64_MAX), INT64_MAX / 100);
	assert_false(key_hit(&one, INT64_MAX, 0, INT64_MAX, INT64_MAX));
}

static void sum_table_hit_at_and_beyond_its_floor(void **state)
{
	struct simhash_tolerance one = tolerance("1");

	(void)state;
	/* The mean of 100 and 499 is 299.5, 1 % of it 2.995. */
	assert_true(simhash_sum_table_hit(&one, 2, 100, 499));
	assert_false(simhash_sum_table_hit(&one, 3, 100, 499));
	assert_true(simhash_sum_table_hit(&one, 3, 100, 500));
	assert_true(simhash_sum_table_hit(&one, 1, 1, 1));
	assert_true(simhash_sum_table_hit(&one, UINT64_C(92233720368547758), INT64_MAX, INT64_MAX));
	assert_false(
		simhash_sum_table_hit(&one, UINT64_C(92233720368547759), INT64_MAX, INT64_MAX));
}

static void sizes_agree_up_to_the_ratio(void **state)
{
	struct simhash_tolerance one = tolerance("1");

	(void)state;
	assert_true(simhash_sizes_agree(&one, 100, 150));
	assert_false(simhash_sizes_agree(&one, 100, 151));
	assert_true(simhash_sizes_agree(&one, 150, 100));
	assert_true(simhash_sizes_agree(&one, 0, 0));
	assert_false(simhash_sizes_agree(&one, 0, 1));
	assert_true(simhash_sizes_agree(&one, INT64_MAX, INT64_MAX));
	assert_int_equal(simhash_largest_partner(&one, 101), 151);
	assert_int_equal(simhash_largest_partner(&one, INT64_MAX), INT64_MAX);
}

static void distance_is_the_sum_of_differences(void **state)
{
	struct simhash_sum_table a = {{10, 0, 7}}, b = {{4, 3, 7}},
				 ends = {{UINT64_MAX, UINT64_MAX}}, zero = {{0}};

	(void)state;
	assert_int_equal(simhash_distance(&a, &b), 9);
	assert_int_equal(simhash_distance(&b, &a), 9);
	assert_int_equal(simhash_distance(&a, &a), 0);
	assert_true(simhash_distance(&ends, &zero) == UINT64_MAX);
}

static int set_up(void **state)
{
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
		cmocka_unit_test(keys_of_the_check_values),
		cmocka_unit_test(keys_truncate_every_term_on_its_own),
		cmocka_unit_test(keys_are_64_bit_and_never_wrap),
		cmocka_unit_test(extension_is_what_follows_the_last_dot),
		cmocka_unit_test(extension_hash_is_the_crc_of_three_lower_case_bytes),
		cmocka_unit_test(extension_shifts_a_key_by_crc_times_2_to_the_30),
		cmocka_unit_test(keys_equal_the_oracle_on_random_tables),
		cmocka_unit_test(key_names_go_both_ways),
		cmocka_unit_test(tolerances_are_exact_decimals),
		cmocka_unit_test(tolerances_of_a_percentage),
		cmocka_unit_test(key_hit_at_and_beyond_its_floor),
		cmocka_unit_test(sum_table_hit_at_and_beyond_its_floor),
		cmocka_unit_test(sizes_agree_up_to_the_ratio),
		cmocka_unit_test(distance_is_the_sum_of_differences),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
