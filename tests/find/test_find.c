/*
 * Finding against brute force over all pairs of random rows, on each engine:
 * clusters, copies, keys at both ends of their range, sizes at the ratio.
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

#include "engine.h"
#include "find/find.h"

#define ROWS 900

static struct simhash_error error;
static struct simhash_tag_set *sample;
static struct file_row rows[ROWS];
static char names[ROWS][16];
static bool found[ROWS][ROWS];
static size_t repeated;

static uint64_t random_state = 11;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % limit;
}

/* Clusters of rows around a few centres; every fifth row an exact copy. */
static void make_rows(int64_t largest_size)
{
	for (int i = 0; i < ROWS; i++) {
		int centre = i - i % 30;
		snprintf(names[i], sizeof names[i], "%d", i);
		if (i == centre) {
			rows[i] = engine_row("/f", names[i], random_below(1u << 30));
			rows[i].size_bytes = 1 + (int64_t)random_below((uint64_t)largest_size);
			for (int t = 0; t < SIMHASH_TAGS; t++)
				rows[i].table.count[t] =
					random_below((uint64_t)rows[i].size_bytes / 8 + 1);
			for (int k = 0; k < SIMHASH_KEYS; k++)
				rows[i].keys.key[k] = centre % 4 == 0 ? INT64_MAX - 40
						      : centre % 4 == 1
							      ? 0
							      : (int64_t)random_below(1u << 20);
			continue;
		}
		rows[i] = rows[centre];
		rows[i].name = (struct bytes){names[i], strlen(names[i])};
		rows[i].path_hash[15] ^= (uint8_t)(i % 30);
		rows[i].path_hash[14] ^= (uint8_t)(i / 30);
		if (i % 5 == 0)
			continue;
		rows[i].content_hash[0] ^= (uint8_t)i;
		rows[i].size_bytes +=
			(int64_t)random_below((uint64_t)rows[i].size_bytes * 6 / 10 + 1);
		for (uint64_t n = random_below(6); n > 0; n--) {
			uint64_t t = random_below(SIMHASH_TAGS), *count = &rows[i].table.count[t];
			uint64_t change = random_below(1 + (uint64_t)rows[i].size_bytes / 100);
			*count = *count > change ? *count - change : change / 2;
		}
		for (int k = 0; k < SIMHASH_KEYS; k++) {
			int64_t *key = &rows[i].keys.key[k];
			int64_t change =
				(int64_t)random_below(1 + (uint64_t)rows[i].size_bytes / 40);
			*key = *key > INT64_MAX - change ? *key - change : *key + change;
		}
	}
}

/* The rule in long double, which holds 64 bits exactly. */
static bool matches(const struct file_row *a, const struct file_row *b, int key,
		    long double percent)
{
	long double larger = a->size_bytes > b->size_bytes ? a->size_bytes : b->size_bytes;
	long double smaller = a->size_bytes > b->size_bytes ? b->size_bytes : a->size_bytes;
	long double apart = (long double)a->keys.key[key] - (long double)b->keys.key[key];
	long double key_bound = percent * larger, sum_bound = percent * (larger + smaller);
	long double distance = 0;

	if (apart < 0)
		apart = -apart;
	if (apart > 1 && apart * 100 > key_bound)
		return false;
	if (larger * 2 > smaller * 3)
		return false;
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		long double d = (long double)a->table.count[t] - (long double)b->table.count[t];
		distance += d < 0 ? -d : d;
	}
	return distance <= 1 || distance * 200 <= sum_bound;
}

static int number_of(const struct candidate *file)
{
	const char *colon = strrchr(file->display, '/');

	return atoi(colon + 1);
}

static int note_pair(void *context, const struct found_pair *pair, struct simhash_error *ignored)
{
	int a = number_of(pair->a), b = number_of(pair->b);

	(void)context;
	(void)ignored;
	assert_true(strcmp(pair->a->display, pair->b->display) < 0);
	/* Rows of another host are identical when size and content hash say so. */
	assert_int_equal(
		pair->is_identical,
		pair->distance == 0 && rows[a].size_bytes == rows[b].size_bytes &&
			memcmp(rows[a].content_hash, rows[b].content_hash, CONTENT_HASH_SIZE) == 0);
	repeated += found[a][b] || found[b][a];
	found[a][b] = true;
	return 0;
}

static void never_unreadable(void *context, struct bytes path, int system_errno, bool is_query)
{
	(void)context;
	(void)is_query;
	fail_msg("%.*s: %s", (int)path.size, path.data, strerror(system_errno));
}

static struct store *store_with_rows(void)
{
	static const struct file_row *pointers[ROWS];
	struct store_batch batch = {.rows = pointers, .row_count = ROWS};
	struct store *store = engine_fresh_store();
	struct row_scope scope;
	int64_t removed;

	for (int i = 0; i < ROWS; i++)
		pointers[i] = &rows[i];
	assert_int_equal(store_tag_set_id(store, sample, true, &scope.tag_set, &error), 0);
	assert_int_equal(store_host_id(store, "elsewhere", true, &scope.host, &error), 0);
	if (store_write(store, &scope, &batch, &removed, &error) != 0)
		fail_msg("%s", error.message);
	return store;
}

static void compare_with_brute_force(struct store *store, int key, const char *percent)
{
	struct find_options options = {.tags = sample,
				       .host = "here",
				       .key = (enum simhash_key)key,
				       .tolerance = SIMHASH_TOLERANCE_DEFAULT,
				       .pair = note_pair,
				       .unreadable = never_unreadable};
	struct finder finder;
	size_t expected_count = 0;

	assert_int_equal(
		simhash_tolerance_parse(percent, &options.tolerance.percent_millionths, &error), 0);
	memset(found, 0, sizeof found);
	repeated = 0;
	assert_int_equal(finder_init(&finder, store, &options, &error), 0);
	if (finder_all(&finder, &error) != 0)
		fail_msg("%s", error.message);
	for (int a = 0; a < ROWS; a++)
		for (int b = a + 1; b < ROWS; b++) {
			bool match = matches(&rows[a], &rows[b], key, strtold(percent, NULL));
			expected_count += match;
			if (match != (found[a][b] || found[b][a]))
				fail_msg("key %d, %s %%: rows %d and %d are %sa pair", key, percent,
					 a, b, match ? "" : "not ");
		}
	assert_int_equal(repeated, 0);
	assert_int_equal(finder.counts.rows, ROWS);
	assert_int_equal(finder.counts.identical + finder.counts.similar, expected_count);
	assert_true(expected_count > 0);
	finder_release(&finder);
}

static void all_pairs_equal_brute_force(void **state)
{
	static const int64_t largest[] = {60, 20000, INT64_C(1) << 55};
	static const char *const percents[] = {"0", "0.3", "1", "2.5", "100"};

	(void)state;
	for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
		struct store *store;
		make_rows(largest[i]);
		store = store_with_rows();
		for (size_t p = 0; p < sizeof percents / sizeof *percents; p++)
			for (int key = SIMHASH_SKEW; key < SIMHASH_KEYS; key += 3)
				compare_with_brute_force(store, key, percents[p]);
		store_close(store);
	}
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
		cmocka_unit_test(all_pairs_equal_brute_force),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
