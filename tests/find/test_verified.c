/*
 * Compares searches for pairs that sketches verify with brute force over all pairs of random rows,
 * on each engine. There are sketches of any resemblance, rows without a sketch, sketches that give
 * no estimate, texts in UTF-16, and identical files with other names or a missing sketch. Searches run
 * as a whole, in parts, and for each file.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/content_pieces.h"
#include "engine.h"
#include "find/query/queried_batch.h"
#include "find/rule/finder.h"
#include "random_rows.h"
#include "reference_resemblance.h"

static double resemblances[ROWS][ROWS]; /* negative: unknown */
static bool can_tell[ROWS][ROWS];
static uint64_t similar_pairs; /* the total number found */

/* ---- Rows ---- */

/* Make a row the row of a text; half of them are in UTF-16. A third have the text of the centre. */
static void make_text(int i, int centre)
{
	struct file_row *row = &rows[i];
	bool is_same = i % 3 == 0;

	if (is_same) {
		row->size_bytes = rows[centre].size_bytes;
		row->resemblance = rows[centre].resemblance;
	}
	set_text(row, row->size_bytes, is_same ? (uint64_t)centre : (uint64_t)i);
	if (i % 2 == 0 || i % 5 == 0)
		return;
	row->table.count[0] += (uint64_t)row->size_bytes;
	row->size_bytes = 2 * row->size_bytes + 2;
}

/*
 * Clusters of 30 rows around a centre. Every fifth row is a copy of it; one in four of the others
 * has up to 2.2 times its size. Either one row in nine has no sketch, or all rows have one, and
 * then small files are found only by their keys. In one of five clusters, the sample contains no
 * shingle.
 */
static void make_clusters(int64_t largest_size, bool all_sketched)
{
	for (int i = 0; i < ROWS; i++) {
		int centre = i - i % 30;
		name_row(i);
		if (i == centre) {
			rows[i] = engine_row("/f", names[i], random_below(1u << 30));
			rows[i].size_bytes = 8 + (int64_t)random_below((uint64_t)largest_size);
			random_counts(&rows[i], 8);
			random_sketch(&rows[i]);
		} else {
			rows[i] = rows[centre];
		}
		if (i % 5 != 0) {
			if (random_below(4) == 0)
				rows[i].size_bytes += (int64_t)random_below(
					(uint64_t)rows[i].size_bytes * 12 / 10 + 1);
			change_counts(&rows[i], 60);
			change_sketch(&rows[i], random_below(5) * random_below(24));
		}
		if (centre % 150 == 90 && rows[centre].size_bytes >= 2000)
			make_text(i, centre);
		if (centre % 150 == 120)
			rows[i].resemblance = (struct simhash_resemblance_sketch){.text = {0}};
		rows[i].has_resemblance = all_sketched || random_below(9) != 0;
		set_content(&rows[i], i % 5 == 0 ? (uint64_t)centre : (uint64_t)i);
		rows[i].inode = i % 10 == 0 ? 0 : 1000 + i;
		complete_row(i);
	}
}

/* The texts in UTF-16, and the sums of the two largest counts of all rows. */
static bool is_wide[ROWS], all_have_sketches;
static uint64_t most[ROWS];

static void find_wide(void)
{
	for (int a = 0; a < ROWS; a++) {
		const uint64_t *count = rows[a].table.count;
		uint64_t largest = 0;
		most[a] = 0;
		for (int s = 0; s < SIMHASH_TAGS; s++)
			for (int t = 0; t < s; t++) {
				uint64_t one = count[s] > count[t] ? count[s] : count[t];
				largest = one > largest ? one : largest;
				if (count[s] + count[t] > most[a])
					most[a] = count[s] + count[t];
			}
		is_wide[a] = rows[a].has_resemblance &&
			     text_size(&rows[a]) <= rows[a].size_bytes / 4 * 3 &&
			     largest >= (uint64_t)rows[a].size_bytes / 4;
	}
}

static void compute_resemblances(void)
{
	for (int a = 0; a < ROWS; a++)
		for (int b = 0; b < ROWS; b++) {
			const uint8_t *text = rows[a].resemblance.text;
			can_tell[a][b] = reference_resemblance(
				rows[a].resemblance.registers, (uint64_t)text_size(&rows[a]),
				rows[b].resemblance.registers, (uint64_t)text_size(&rows[b]),
				&resemblances[a][b]);
			if (memcmp(text, (uint8_t[16]){0}, 16) != 0 &&
			    memcmp(text, rows[b].resemblance.text, 16) == 0) {
				can_tell[a][b] = true;
				resemblances[a][b] = 1;
			}
		}
}

/* ---- The rule, from its description ---- */

static bool sizes_agree(wide x, wide y, wide times, wide of)
{
	return (x > y ? x : y) * of <= (x > y ? y : x) * times;
}

static bool agree(const struct file_row *x, const struct file_row *y, wide times, wide of)
{
	return sizes_agree(x->size_bytes, y->size_bytes, times, of);
}

static bool have_equal_registers(const struct file_row *x, const struct file_row *y)
{
	return memcmp(x->resemblance.registers, y->resemblance.registers, REGISTERS) == 0;
}

/*
 * The value of a register. An empty one has the value of the next register that is not empty, plus
 * 37 for each step.
 */
static uint8_t filled(const struct file_row *row, int r)
{
	const uint8_t *registers = row->resemblance.registers;
	int steps = 0;

	while (steps < REGISTERS && registers[(r + steps) % REGISTERS] == 0)
		steps++;
	return (uint8_t)(registers[(r + steps) % REGISTERS] + 37 * steps);
}

/* Do the sketches share four consecutive registers at one of 32 places? */
static bool share_key(int a, int b)
{
	int equal = 0;

	for (int r = 0; r < REGISTERS; r++) {
		equal = filled(&rows[a], r) == filled(&rows[b], r) ? equal + 1 : 0;
		if (r % 4 == 3 && equal >= 4)
			return true;
		if (r % 4 == 3)
			equal = 0;
	}
	return false;
}

static bool is_blank(const struct file_row *row)
{
	static const struct simhash_resemblance_sketch blank;

	return memcmp(&row->resemblance, &blank, sizeof blank) == 0;
}

/* The values of two neighbouring registers; 0 if one is empty. */
static int part_of(int a, int r)
{
	const uint8_t *registers = rows[a].resemblance.registers;

	return registers[r] == 0 || registers[r + 1] == 0 ? 0
							  : registers[r] * 256 + registers[r + 1];
}

/* Is this the first row with its content, among rows with a sketch? */
static bool represents_content(int a)
{
	if (!rows[a].has_resemblance || is_blank(&rows[a]))
		return false;
	for (int b = 0; b < a; b++)
		if (same_content(a, b) && rows[b].has_resemblance)
			return false;
	return true;
}

static int contents_with[ROWS][REGISTERS / 2]; /* the number of contents with a part of a row */
static int common_from;

static void count_parts(void)
{
	static bool represents[ROWS];
	double contents = 0;

	for (int a = 0; a < ROWS; a++)
		contents += represents[a] = represents_content(a);
	common_from = (int)floor(8 + contents / 65025 + 4 * sqrt(contents / 65025));
	for (int a = 0; a < ROWS; a++)
		for (int p = 0; p < REGISTERS / 2; p++) {
			contents_with[a][p] = 0;
			for (int b = 0; b < ROWS; b++)
				contents_with[a][p] += represents[b] &&
						       part_of(b, 2 * p) == part_of(a, 2 * p);
		}
}

/* Requested files are compared without this test. */
static bool knows_common = true;

/* Do they share more common parts than rare ones, and fewer than three rare ones? */
static bool share_only_common_parts(const struct find_rule *rule, int a, int b)
{
	int common = 0, rare = 0;

	for (int p = 0; p < REGISTERS / 2; p++)
		if (part_of(a, 2 * p) != 0 && part_of(a, 2 * p) == part_of(b, 2 * p))
			*(contents_with[a][p] >= common_from ? &common : &rare) += 1;
	return knows_common && rule->verify.min_resemblance < 0 && common > rare && rare < 3;
}

static bool verified(const struct find_rule *rule, int a, int b, wide tolerance)
{
	const struct file_row *x = &rows[a], *y = &rows[b];
	wide sizes = x->size_bytes + y->size_bytes, distance = distances[a][b];
	wide least = rule->unverified_percent_millionths;
	double minimum = rule->verify.min_resemblance;

	if (x->has_resemblance != y->has_resemblance && (minimum < 0 || minimum == 1) &&
	    !within(distance, 2000000, sizes))
		return false;
	if (!x->has_resemblance || !y->has_resemblance)
		return same_extension(x, y) &&
		       within(distance, tolerance < least ? tolerance : least, sizes);
	if (!can_tell[a][b])
		return !is_blank(x) && have_equal_registers(x, y) &&
		       within(distance, 1000000, sizes);
	if (minimum == 1)
		return have_equal_registers(x, y);
	if (minimum < 0) {
		minimum = within(distance, 1000000, sizes)   ? 0.3
			  : within(distance, 2000000, sizes) ? 0.4
							     : 0.6;
		bool is_small = x->size_bytes < 1024 || y->size_bytes < 1024;
		if (minimum < 0.5 && is_small)
			minimum = 0.5;
		if ((is_small || !within(distance, 2000000, sizes)) && !share_key(a, b))
			return false;
		if (resemblances[a][b] < 0.75 && share_only_common_parts(rule, a, b))
			return false;
	}
	return resemblances[a][b] >= minimum;
}

static bool match_by_counts(const struct find_rule *rule, int a, int b)
{
	const struct file_row *x = &rows[a], *y = &rows[b];
	int64_t tx = tolerance_of(rule, x), ty = tolerance_of(rule, y), t = tx < ty ? tx : ty;
	wide larger = x->size_bytes > y->size_bytes ? x->size_bytes : y->size_bytes;

	if (same_content(a, b))
		return true;
	if (rule->verify.by_keys && is_wide[a] != is_wide[b])
		return false;
	if (!agree(x, y, 3, 2) || (rule->verify.same_extension && !same_extension(x, y)))
		return false;
	if (rule->candidates == CANDIDATES_KEY &&
	    !within(apart(x->keys.key[rule->key], y->keys.key[rule->key]), t, 2 * larger))
		return false;
	return within(distances[a][b], t, x->size_bytes + y->size_bytes) && verified(rule, a, b, t);
}

/* Do the sketches alone make them a pair? */
static bool match_by_sketches(const struct find_rule *rule, int a, int b)
{
	const struct file_row *x = &rows[a], *y = &rows[b];
	wide ux = x->keys.key[SIMHASH_UNIFORM], uy = y->keys.key[SIMHASH_UNIFORM];
	double r = resemblances[a][b], given = rule->verify.min_resemblance;
	int64_t sx = text_size(x), sy = text_size(y);
	double sizes = (double)sx + (double)sy, part = (double)(sx < sy ? sx : sy);
	int64_t smaller = x->size_bytes < y->size_bytes ? x->size_bytes : y->size_bytes;
	bool by_text = is_wide[a] || is_wide[b];

	/* Otherwise a copy without a sketch would be searched elsewhere. */
	if (all_have_sketches) {
		ux -= is_wide[a] ? (wide)most[a] : 0;
		uy -= is_wide[b] ? (wide)most[b] : 0;
	}
	if (!rule->verify.by_keys || !x->has_resemblance || !y->has_resemblance ||
	    !can_tell[a][b] || !(by_text ? sizes_agree(sx, sy, 21, 10) : agree(x, y, 21, 10)) ||
	    (ux > uy ? ux : uy) > (ux > uy ? uy : ux) * 21 / 8 + 64 ||
	    (rule->verify.same_extension && !same_extension(x, y)))
		return false;
	if (given == 1)
		return have_equal_registers(x, y);
	if (r < 0.75 && share_only_common_parts(rule, a, b))
		return false;
	if (r >= (given >= 0 ? given : smaller < 1024 ? 0.8 : 0.65))
		return true;
	return r >= 0.2 && (sx < sy ? x : y)->size_bytes >= 2048 && !sizes_agree(sx, sy, 11, 10) &&
	       r / (1 + r) * sizes / part >= (given > 0.8 ? given : 0.8);
}

/* Requested files are compared with all files, and need not share a key. */
static bool matches(const struct find_rule *rule, int a, int b, bool needs_key)
{
	return match_by_counts(rule, a, b) ||
	       (match_by_sketches(rule, a, b) && (!needs_key || share_key(a, b)));
}

/* ---- Requests ---- */

static struct find_request request_for(const char *percent, unsigned round)
{
	static const double minima[] = {GRADED, 0.6, 1, GRADED, 0.9};
	struct find_request request;

	find_request_init(&request);
	request.tags = sample;
	request.host = "here";
	request.expand = true;
	assert_int_equal(simhash_tolerance_parse(
				 percent, &request.rule.tolerance.percent_millionths, &error),
			 0);
	request.rule.key = round % 2 == 0 ? SIMHASH_SKEW_EXT : SIMHASH_UNIFORM;
	request.rule.verify.min_resemblance = minima[round % 5];
	request.rule.verify.same_extension = round % 4 == 3;
	request.rule.candidates = round % 5 == 4 ? CANDIDATES_KEY : CANDIDATES_EXACT;
	request.rule.verify.by_keys = round % 5 != 4;
	if (round / 12 == 1)
		request.rule.unverified_percent_millionths = INT64_MAX;
	if (round % 7 == 2)
		assert_int_equal(rule_add_tolerance(&request.rule, ".PS=0.05", &error), 0);
	return request;
}

/* ---- Results ---- */

static void expect_found(const struct find_rule *rule, int a, bool needs_key, const char *how,
			 unsigned round)
{
	for (int b = 0; b < ROWS; b++)
		if (a != b && (needs_key || !(is_wide[a] || is_wide[b])) &&
		    found[a][b] != matches(rule, a, b, needs_key))
			fail_msg("%s, round %u: rows %s and %s %d %d are %sa pair: sizes %lld and "
				 "%lld, "
				 "distance %lld, resemblance %f (known: %d)",
				 how, round, names[a], names[b], rows[a].has_resemblance,
				 rows[b].has_resemblance, found[a][b] ? "not " : "",
				 (long long)rows[a].size_bytes, (long long)rows[b].size_bytes,
				 (long long)distances[a][b], resemblances[a][b], can_tell[a][b]);
}

static void compare_all(struct store *store, struct find_request *request, unsigned round)
{
	static const unsigned block_rows[] = {1, 7, 64, 0};
	const struct find_resources resources = {.threads = 1 + round % 3,
						 .block_rows = block_rows[round % 4],
						 .memory_bytes = round % 2 == 0 ? 0 : SMALL_MEMORY};

	for (unsigned parts = 1; parts <= 3; parts += 2) {
		struct find_counts counts = find_all(store, request, &resources, parts);
		size_t expected = 0, unsketched = 0;
		for (int a = 0; a < ROWS; a++) {
			expect_found(&request->rule, a, true, parts == 1 ? "whole" : "in parts",
				     round);
			unsketched += !rows[a].has_resemblance;
			for (int b = 0; b < a; b++)
				expected += found[a][b];
		}
		assert_int_equal(counts.identical + counts.similar, expected);
		assert_int_equal(counts.rows, ROWS);
		assert_int_equal(counts.unsketched, unsketched);
		assert_true(counts.identical > 0);
		similar_pairs += counts.similar;
	}
}

static int note_asked(void *context, unsigned thread, const struct file_pair *pair,
		      struct simhash_error *ignored)
{
	int a = number_of(pair->a), b = number_of(pair->b);

	(void)context;
	(void)thread;
	(void)ignored;
	found[a][b] = found[b][a] = true;
	return 0;
}

/* Search for the file of this row as if it were unchanged since it was indexed. */
static void ask_for(struct queried_batch *batch, int a)
{
	const struct finder *finder = batch->finder;
	struct queried_file queried = {.keys = rows[a].keys};

	rows[a].host = finder->local_host;
	assert_int_equal(finder_read(finder, &rows[a], &queried.arena, &queried.file, &error), 0);
	queried.file.is_stream = true;
	assert_int_equal(queried_batch_add(batch, &queried, &error), 0);
}

#define TOGETHER 60

/* Search for some rows, alone or together, with much or little memory. */
static void compare_each(struct store *store, const struct find_request *request, unsigned round)
{
	static const struct find_sink queried_sink = {.pair = note_asked};
	const struct find_resources resources = {.threads = 1 + round % 3};
	struct finder finder;
	struct queried_report report = {.reporter = {.finder = &finder}};
	struct queried_batch batch;

	find_anew();
	assert_int_equal(finder_init(&finder, store, request, &queried_sink, &resources, &error),
			 0);
	queried_batch_init(&batch, &finder, &report);
	knows_common = false;
	if (round % 4 >= 2)
		batch.keys_max = 160;
	for (int a = 0; a < ROWS;) {
		int queried_for[TOGETHER], count = 0, wanted = round % 2 == 0 ? 1 : TOGETHER;
		for (; count < wanted && a < ROWS; a += 1 + (int)random_below(12)) {
			queried_for[count++] = a;
			ask_for(&batch, a);
		}
		assert_int_equal(queried_batch_search(&batch, &error), 0);
		for (int i = 0; i < count; i++)
			expect_found(&request->rule, queried_for[i], false, "files asked for",
				     round);
	}
	knows_common = true;
	queried_batch_release(&batch);
	queried_report_release(&report);
	finder_release(&finder);
}

static const int64_t largest_sizes[] = {1000, 20000, 40000000};
static const char *const percents[] = {"5", "0", "1", "2.5"};

/* For the same rows. If they are slow, run every sixth round, and others for the next rows. */
#define ROUNDS 12

static void verified_pairs_equal_brute_force(void **state)
{
	const unsigned step = IS_SLOW ? 6 : 1;

	(void)state;
	for (unsigned s = 0; s < 2 * sizeof largest_sizes / sizeof *largest_sizes; s++) {
		struct store *store;
		make_clusters(largest_sizes[s / 2], s % 2 == 0);
		all_have_sketches = s % 2 == 0;
		find_wide();
		compute_resemblances();
		count_parts();
		store = store_with_rows();
		for (unsigned i = s % step; i < ROUNDS; i += step) {
			unsigned round = s * ROUNDS + i;
			struct find_request request = request_for(percents[i / 3], round);
			compare_all(store, &request, round);
			compare_each(store, &request, round);
			rule_release(&request.rule);
		}
		store_close(store);
	}
	assert_true(similar_pairs > 20000 / step);
}

/*
 * Without --group=none, every file of a content is in a pair, and there are no unnecessary pairs.
 */
static void of_n_identical_files_n_less_one_pairs_are_reported(void **state)
{
	const struct find_resources resources = {.threads = 2, .block_rows = 7};
	struct store *store;

	(void)state;
	make_clusters(20000, false);
	compute_resemblances();
	store = store_with_rows();
	for (unsigned round = 0; round < 4; round += IS_SLOW ? 3 : 1) {
		struct find_request request = request_for("5", round);
		request.expand = false;
		request.rule.verify.same_extension = round % 2 == 1;
		find_all(store, &request, &resources, 1 + round);
		for (int centre = 0; centre < ROWS; centre += 30) {
			size_t pairs = 0;
			for (int a = centre; a < centre + 30; a += 5)
				for (int b = centre; b < a; b += 5)
					pairs += found[a][b];
			if (request.rule.extension_count == 0)
				assert_int_equal(pairs, 5);
		}
		rule_release(&request.rule);
	}
	store_close(store);
}

#define WHOLES 10
#define PARTS 8

/* The pieces of a part, or of a content with it. */
static struct row_sketches *pieces_of(size_t count)
{
	uint64_t values[200];
	struct content_pieces pieces = {.level = 4, .count = count, .values = values};
	struct row_sketches *sketches = row_sketches_new(PIECES_STORED_MAX(count));

	for (size_t i = 0; i < count; i++)
		values[i] = i * 1000003;
	sketches->pieces = (struct bytes){(char *)sketches->bytes,
					  content_pieces_store(&pieces, sketches->bytes)};
	return sketches;
}

static void make_parts(void)
{
	make_clusters(20000, true);
	for (int i = 0; i < WHOLES + PARTS; i++) {
		rows[i].size_bytes = i < WHOLES ? 4000000 : 40000;
		random_counts(&rows[i], 8);
		random_sketch(&rows[i]);
		rows[i].has_resemblance = true;
		set_content(&rows[i], 5000000 + (uint64_t)i);
		rows[i].pieces_made = 1;
		rows[i].sketches = pieces_of(i < WHOLES ? 200 : 20);
		complete_row(i);
	}
}

/* Each requested file is in many files; if there are too many parts, fewer files are searched. */
static void parts_are_found_with_little_memory(void **state)
{
	static const struct find_sink queried_sink = {.pair = note_asked};
	const struct find_resources resources = {.threads = 2};
	struct find_request request = request_for("5", 0);
	struct finder finder;
	struct queried_report report = {.reporter = {.finder = &finder}};
	struct queried_batch batch;
	struct store *store;

	(void)state;
	make_parts();
	store = store_with_rows();
	find_anew();
	assert_int_equal(finder_init(&finder, store, &request, &queried_sink, &resources, &error),
			 0);
	queried_batch_init(&batch, &finder, &report);
	batch.keys_max = 2 * WHOLES * PARTS; /* with memory for half of the parts */
	for (int a = WHOLES; a < WHOLES + PARTS; a++) {
		ask_for(&batch, a);
		batch.files[batch.count - 1].sketches = row_sketches_hold(rows[a].sketches);
	}
	assert_int_equal(queried_batch_search(&batch, &error), 0);
	for (int a = WHOLES; a < WHOLES + PARTS; a++)
		for (int b = 0; b < WHOLES; b++)
			assert_true(found[a][b]);
	for (int i = 0; i < WHOLES + PARTS; i++) {
		row_sketches_drop(rows[i].sketches);
		rows[i].sketches = NULL;
	}
	queried_batch_release(&batch);
	queried_report_release(&report);
	finder_release(&finder);
	rule_release(&request.rule);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verified_pairs_equal_brute_force),
		cmocka_unit_test(of_n_identical_files_n_less_one_pairs_are_reported),
		cmocka_unit_test(parts_are_found_with_little_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
