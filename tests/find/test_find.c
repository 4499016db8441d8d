/*
 * Compares searches by counts alone, as in the paper, with brute force over all pairs of random
 * rows, on each engine. Rows form clusters, chains and many copies, with keys at both ends of their
 * range, sizes at the ratio, and tolerances for extensions. Searches run as a whole, in parts and
 * in several threads.
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

#include "base/basic/error.h"
#include "engine.h"
#include "random_rows.h"

static int twin_of[ROWS];

/* Clusters of 30 rows around a centre. Every fifth row is an exact copy of the centre. */
static void make_clusters(int64_t largest_size)
{
	/* The largest rows have keys that do not fit into 64 bits. */
	uint64_t share = largest_size > INT64_C(1) << 60 ? 1 : 8;

	for (int i = 0; i < ROWS; i++) {
		int centre = i - i % 30;
		name_row(i);
		if (i == centre) {
			rows[i] = engine_row("/f", names[i], random_below(1u << 30));
			rows[i].size_bytes = 1 + (int64_t)random_below((uint64_t)largest_size);
			random_counts(&rows[i], share);
		} else {
			rows[i] = rows[centre];
		}
		if (i % 5 != 0) {
			int64_t grown =
				(int64_t)random_below((uint64_t)rows[i].size_bytes * 6 / 10 + 1);
			if (share == 8)
				rows[i].size_bytes += grown;
			change_counts(&rows[i], 100);
		}
		set_content(&rows[i], i % 5 == 0 ? (uint64_t)centre : (uint64_t)i);
		complete_row(i);
	}
}

/*
 * Rows with the largest allowed distance and size ratio to a centre or to its single copy. The
 * change is spread over all tags, so that a lower bound of the distance that is rounded up would
 * miss these rows.
 */
static void make_edges(int64_t size)
{
	static const int64_t per_thousand[] = {3, 10, 25};

	for (int i = 0; i < ROWS; i++) {
		int64_t left = size / 3 * 5 / 2 * per_thousand[i % 3] / 1000;
		name_row(i);
		if (i % 30 == 0) {
			rows[i] = engine_row("/f", names[i], 1);
			rows[i].size_bytes = size;
			for (int t = 0; t < SIMHASH_TAGS; t++)
				rows[i].table.count[t] =
					(uint64_t)size / 10 + random_below((uint64_t)size / 10);
		} else {
			rows[i] = rows[i - i % 30];
		}
		if (i % 30 > 1)
			rows[i].size_bytes = size / 3 * 2;
		for (int t = 0; i % 30 > 1 && t < SIMHASH_TAGS; t++) {
			/*
			 * The last tag gets the rest. Each tag and the eighth tag after it change
			 * by the same number.
			 */
			int64_t change = t == SIMHASH_TAGS - 1
						 ? left
						 : (int64_t)random_below((uint64_t)left / 4 + 1);
			bool is_more = (i >> t % 8 & 1) != 0;
			rows[i].table.count[t] += (uint64_t)(is_more ? change : -change);
			left -= change;
		}
		set_content(&rows[i], (uint64_t)i);
		complete_row(i);
	}
}

/* The chain of the paper: each row is the previous row with a few changes. */
static void make_chain(int64_t size)
{
	for (int i = 0; i < ROWS; i++) {
		name_row(i);
		if (i == 0) {
			rows[0] = engine_row("/f", names[0], 1);
			rows[0].size_bytes = size;
			random_counts(&rows[0], 16);
		} else {
			rows[i] = rows[i - 1];
			change_counts(&rows[i], 600);
		}
		set_content(&rows[i], (uint64_t)i);
		complete_row(i);
	}
}

/* Half of the rows are copies of one row, and a quarter have the same counts but other content. */
static void make_copies(int64_t size)
{
	for (int i = 0; i < ROWS; i++) {
		name_row(i);
		rows[i] = i == 0 ? engine_row("/f", names[0], 1) : rows[0];
		rows[i].size_bytes = size;
		if (i == 0 || i % 4 == 3)
			random_counts(&rows[i], 400);
		set_content(&rows[i], i % 4 < 2 ? 0 : (uint64_t)i);
		complete_row(i);
	}
}

/*
 * Each row has an inode. Some have the inode of another row: names of one file, or numbers that
 * were used again.
 */
static struct store *store_with_inodes(void)
{
	for (int i = 0; i < ROWS; i++) {
		int other = (int)random_below((uint64_t)i + 1);
		bool is_shared = random_below(2) == 0 && same_extension(&rows[i], &rows[other]);
		rows[i].inode = is_shared ? rows[other].inode : 1000 + i;
	}
	return store_with_rows();
}

/* ---- Brute force ---- */

static bool matches(const struct find_rule *rule, const struct file_row *x,
		    const struct file_row *y)
{
	int64_t tx = tolerance_of(rule, x), ty = tolerance_of(rule, y), t = tx < ty ? tx : ty;
	wide larger = x->size_bytes > y->size_bytes ? x->size_bytes : y->size_bytes;
	wide smaller = x->size_bytes > y->size_bytes ? y->size_bytes : x->size_bytes;

	if (larger * 2 > smaller * 3 || is_name_of((int)(x - rows), (int)(y - rows)))
		return false;
	if (rule->candidates == CANDIDATES_KEY &&
	    !within(apart(x->keys.key[rule->key], y->keys.key[rule->key]), t, 2 * larger))
		return false;
	if (rule->candidates == CANDIDATES_EXACT && rule->key >= SIMHASH_UNIFORM_EXT &&
	    !same_extension(x, y))
		return false;
	return within(distances[x - rows][y - rows], t, larger + smaller);
}

/* The first of the rows with the same content and extension. */
static void find_twins(void)
{
	for (int i = 0; i < ROWS; i++) {
		twin_of[i] = 0;
		while (!same_content(i, twin_of[i]) || !same_extension(&rows[i], &rows[twin_of[i]]))
			twin_of[i]++;
	}
}

static void compare_with_brute_force(struct store *store, struct find_request *request,
				     const struct find_resources *resources, unsigned parts,
				     const char *what)
{
	struct find_counts counts = find_all(store, request, resources, parts);
	size_t expected_count = 0;

	for (int a = 0; a < ROWS; a++)
		for (int b = a + 1; b < ROWS; b++) {
			bool match = matches(&request->rule, &rows[a], &rows[b]);
			expected_count += match;
			if (match != found[a][b])
				fail_msg(
					"%s, key %d, candidates %d, %lld, %u parts: rows %d and %d "
					"are %sa pair",
					what, (int)request->rule.key, (int)request->rule.candidates,
					(long long)request->rule.tolerance.percent_millionths,
					parts, a, b, match ? "" : "not ");
		}
	assert_int_equal(counts.rows, ROWS);
	assert_int_equal(counts.identical + counts.similar, expected_count);
	assert_true(expected_count > 0);
}

static struct find_request request_for(enum simhash_key key, const char *percent)
{
	struct find_request request;

	find_request_init(&request);
	request.rule.verify.mode = VERIFY_NO;
	request.tags = sample;
	request.host = "here";
	request.expand = true;
	request.rule.key = key;
	assert_int_equal(simhash_tolerance_parse(
				 percent, &request.rule.tolerance.percent_millionths, &error),
			 0);
	return request;
}

static const char *const percents[] = {"0", "0.3", "1", "2.5", "100"};
static const enum simhash_key keys[] = {SIMHASH_UNIFORM, SIMHASH_SKEW, SIMHASH_SKEW_EXT};
static const unsigned part_counts[] = {1, 2, 7};
static const unsigned block_rows[] = {1, 7, 64, 0};
static const int64_t memory_bytes[] = {0, SMALL_MEMORY};

#define PERCENTS (sizeof percents / sizeof *percents)
#define KEYS (sizeof keys / sizeof *keys)

/* The rule, the threads and the parts of a round. */
static void compare_round(struct store *store, unsigned round, const char *what)
{
	struct find_request request =
		request_for(keys[round / 2 % KEYS], percents[round / 2 / KEYS]);
	const struct find_resources resources = {.threads = 1 + round % 3,
						 .block_rows = block_rows[round / 3 % 4],
						 .memory_bytes = memory_bytes[round / 2 % 2]};

	request.rule.candidates = (enum candidates)(round % 2);
	if (round % 2 == 1)
		assert_int_equal(rule_add_tolerance(&request.rule, ".PS=0.05", &error), 0);
	compare_with_brute_force(store, &request, &resources, part_counts[round % 3], what);
	rule_release(&request.rule);
}

/*
 * Run all rounds for these rows. If rounds are slow, run a twelfth of them, and others for the next
 * rows.
 */
static void compare_all(const char *what)
{
	static unsigned sets;
	struct store *store = store_with_inodes();
	unsigned step = IS_SLOW ? 12 : 1;

	for (unsigned round = sets++ % step; round < 2 * KEYS * PERCENTS; round += step)
		compare_round(store, round, what);
	store_close(store);
}

static void clusters_equal_brute_force(void **state)
{
	static const int64_t largest[] = {60, 20000, INT64_C(1) << 55, INT64_MAX / 2};

	(void)state;
	for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
		make_clusters(largest[i]);
		compare_all("clusters");
	}
}

static void edges_equal_brute_force(void **state)
{
	static const int64_t sizes[] = {6000, 7654320, INT64_C(3) << 50};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		make_edges(sizes[i]);
		compare_all("edges");
	}
}

static void chains_equal_brute_force(void **state)
{
	(void)state;
	make_chain(4096);
	compare_all("chain");
}

static void copies_equal_brute_force(void **state)
{
	(void)state;
	make_copies(20000);
	compare_all("copies");
}

/* Tests every number of parts and threads, for one rule. */
static void parts_together_are_the_whole(void **state)
{
	struct store *store;

	(void)state;
	make_clusters(20000);
	store = store_with_inodes();
	for (size_t p = 0; p < 3; p++)
		for (unsigned threads = 1; threads <= 3; threads++) {
			struct find_request request = request_for(SIMHASH_SKEW_EXT, "1");
			const struct find_resources resources = {.threads = threads,
								 .block_rows = block_rows[threads],
								 .memory_bytes =
									 memory_bytes[p % 2]};
			compare_with_brute_force(store, &request, &resources, part_counts[p],
						 "parts");
			rule_release(&request.rule);
		}
	store_close(store);
}

/* For n copies, n - 1 pairs are reported, and one of the copies represents all others. */
static void copies_are_reported_once(void **state)
{
	/* Pairs of two contents, indexed by their first rows. */
	static unsigned between[ROWS][ROWS];
	struct find_request request = request_for(SIMHASH_SKEW_EXT, "1");
	const struct find_resources resources = {.threads = 2, .block_rows = 5};
	struct store *store;
	unsigned files[ROWS] = {0};

	(void)state;
	make_copies(20000);
	for (int i = 0; i < ROWS; i++) /* one name for each */
		rows[i].inode = 1000 + i;
	store = store_with_rows();
	request.expand = false;
	find_all(store, &request, &resources, 2);
	find_twins();
	for (int a = 0; a < ROWS; a++) {
		files[twin_of[a]]++;
		for (int b = a + 1; b < ROWS; b++) {
			int x = twin_of[a], y = twin_of[b];
			if (found[a][b])
				between[x < y ? x : y][x < y ? y : x]++;
		}
	}
	assert_true(files[0] > 40);
	for (int a = 0; a < ROWS; a++) {
		if (twin_of[a] != a)
			continue;
		assert_int_equal(between[a][a], files[a] - 1);
		for (int b = a + 1; b < ROWS; b++)
			if (twin_of[b] == b)
				assert_int_equal(between[a][b],
						 matches(&request.rule, &rows[a], &rows[b]));
	}
	rule_release(&request.rule);
	store_close(store);
}

/*
 * Groups of 40 rows with the same key, each within reach of the next group. There are six contents;
 * some have two equal hashes but different counts.
 */
static void make_crowds(void)
{
	for (int i = 0; i < ROWS; i++) {
		int crowd = i / 40;
		unsigned content = (unsigned)random_below(6);
		name_row(i);
		rows[i] = engine_row("/f", names[i], 1);
		rows[i].size_bytes = 40000;
		for (int t = 0; t < SIMHASH_TAGS; t++)
			rows[i].table.count[t] = 1000 + (uint64_t)t;
		rows[i].table.count[15] += (uint64_t)crowd;
		rows[i].table.count[content % 3] += 20;
		rows[i].table.count[3 + content % 3] -= 20;
		rows[i].table.count[7 + random_below(2)]++;
		set_content(&rows[i], (uint64_t)(crowd * 10) + content);
		complete_row(i);
	}
}

/* If blocks divide the rows of one key, the rest of these rows must be handled correctly. */
static void what_is_found_depends_on_no_block(void **state)
{
	static const struct find_side sides[2] = {{"elsewhere", {"/f", 2}},
						  {"elsewhere", {"/fg", 3}}};
	static bool wanted[ROWS][ROWS];

	(void)state;
	/* Each third round still has all values, but not all combinations. */
	for (unsigned round = 0; round < 16; round += IS_SLOW ? 3 : 1) {
		struct find_request request = request_for(SIMHASH_SKEW_EXT, "1");
		struct store *store;
		make_crowds();
		store = store_with_inodes();
		request.expand = false;
		request.keeps_extensions = round % 4 == 3;
		request.has_between = round % 2 == 1;
		memcpy(request.between, sides, sizeof sides);
		request.rule.candidates = (enum candidates)(round / 2 % 2);
		if (round / 4 % 2 == 1)
			assert_int_equal(rule_add_tolerance(&request.rule, ".PS=0.05", &error), 0);
		for (unsigned b = 0; b < sizeof block_rows / sizeof *block_rows; b++) {
			const struct find_resources resources = {
				.threads = 1 + b % 2,
				.block_rows =
					block_rows[sizeof block_rows / sizeof *block_rows - 1 - b]};
			find_all(store, &request, &resources, 1);
			if (b == 0)
				memcpy(wanted, found, sizeof found);
			assert_memory_equal(found, wanted, sizeof found);
		}
		rule_release(&request.rule);
		store_close(store);
	}
}

static void a_row_that_contradicts_itself_is_an_error(void **state)
{
	struct find_request request = request_for(SIMHASH_SKEW_EXT, "1");
	const struct find_resources resources = {.threads = 2};
	struct finder finder;
	struct store *store;

	(void)state;
	make_clusters(20000);
	rows[7].keys.key[SIMHASH_UNIFORM]++;
	store = store_with_inodes();
	assert_int_equal(finder_init(&finder, store, &request, &sink, &resources, &error), 0);
	assert_int_equal(finder_all(&finder, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_DATABASE);
	assert_non_null(strstr(error.message, "uniform is not the sum"));
	finder_release(&finder);
	rule_release(&request.rule);
	store_close(store);
}

static bool is_below(const struct file_row *row, const char *directory)
{
	size_t size = strlen(directory);

	return row->directory.size >= size && memcmp(row->directory.data, directory, size) == 0 &&
	       (row->directory.size == size || row->directory.data[size] == '/');
}

static void between_is_only_across(void **state)
{
	static const struct find_side sides[2] = {{"elsewhere", {"/f", 2}},
						  {"elsewhere", {"/fg", 3}}};
	struct find_request request = request_for(SIMHASH_SKEW_EXT, "2.5");
	const struct find_resources resources = {.threads = 2};
	struct store *store;
	size_t expected = 0;
	struct find_counts counts;

	(void)state;
	make_clusters(20000);
	store = store_with_inodes();
	request.has_between = true;
	memcpy(request.between, sides, sizeof sides);
	counts = find_all(store, &request, &resources, 2);
	for (int a = 0; a < ROWS; a++)
		for (int b = a + 1; b < ROWS; b++) {
			bool across = is_below(&rows[a], "/f") != is_below(&rows[b], "/f");
			bool match = across && matches(&request.rule, &rows[a], &rows[b]);
			expected += match;
			assert_int_equal(found[a][b], match);
		}
	assert_true(expected > 0);
	assert_int_equal(counts.identical + counts.similar, expected);
	rule_release(&request.rule);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters_equal_brute_force),
		cmocka_unit_test(edges_equal_brute_force),
		cmocka_unit_test(chains_equal_brute_force),
		cmocka_unit_test(copies_equal_brute_force),
		cmocka_unit_test(parts_together_are_the_whole),
		cmocka_unit_test(copies_are_reported_once),
		cmocka_unit_test(what_is_found_depends_on_no_block),
		cmocka_unit_test(a_row_that_contradicts_itself_is_an_error),
		cmocka_unit_test(between_is_only_across),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
