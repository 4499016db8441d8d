/*
 * The sorter of pairs, held against a sort of the lines that the formatter writes: with memory for
 * all or few, by several threads, and with paths that make it fall back to lines.
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

#include "base/threads/threads.h"
#include "report/lists/formatter.h"
#include "report/lists/order.h"
#include "report/lists/pair_sorter.h"

#define FILES 60
#define PAIRS 9000
#define THREADS 3
#define PATHS_BYTES (1 << 20) /* enough for all */

static struct find_file files[FILES];
static char names[FILES][96];
static struct file_pair pairs[PAIRS];

struct expected {
	double key;
	char *line;
	size_t size;
};

struct output {
	struct expected *expected;
	char *text;
	size_t size;
	uint64_t sum, lines;
};

static uint64_t random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

static void name_files(const char *const *odd, size_t count)
{
	for (size_t i = 0; i < FILES; i++) {
		if (i < count)
			snprintf(names[i], sizeof names[i], "%s", odd[i]);
		else
			snprintf(names[i], sizeof names[i], "/folder/%zu/a name\x1b\\ %zu", i % 7,
				 i * 7919 % 1000);
		files[i] = (struct find_file){.host = 1 + (int64_t)i % 2,
					      .size_bytes = (int64_t)(1000 + i),
					      .display = names[i],
					      .display_size = (uint32_t)strlen(names[i])};
		memcpy(files[i].path_hash, &i, sizeof i);
	}
}

/* Of all kinds that there are. */
static void make_pairs(uint64_t seed)
{
	for (size_t i = 0; i < PAIRS; i++) {
		size_t a = random_number(&seed) % FILES, b = random_number(&seed) % FILES;
		struct file_pair *pair = &pairs[i];
		double share = (double)(random_number(&seed) % 10001) / 10000;
		*pair = (struct file_pair){.a = &files[a],
					   .b = &files[b],
					   .distance = random_number(&seed) % 40,
					   .resemblance = share};
		switch (random_number(&seed) % 6) {
		case 0:
			pair->is_identical = true;
			pair->verification = PAIR_HASH;
			break;
		case 1:
			pair->verification = PAIR_SKETCH;
			pair->resemblance = (double)(random_number(&seed) % 65) / 64;
			break;
		case 2:
			pair->verification = PAIR_READ;
			break;
		case 3:
			pair->is_part = true;
			pair->verification = seed >> 40 & 1 ? PAIR_SKETCH : PAIR_READ;
			pair->contained_a = seed >> 41 & 1 ? share : -share;
			pair->contained_b = -pair->contained_a;
			break;
		case 4:
			pair->verification = PAIR_COUNTS;
			break;
		default:
			pair->verification = PAIR_UNVERIFIED;
		}
	}
}

static int compare_expected(const void *x, const void *y)
{
	const struct expected *a = x, *b = y;
	int order = (a->key > b->key) - (a->key < b->key);

	if (order == 0)
		order = memcmp(a->line, b->line, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static uint64_t sum_of(const char *line, size_t size, double key)
{
	uint64_t sum = 0;

	memcpy(&sum, &key, sizeof sum);
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)line[i]) * UINT64_C(0xff51afd7ed558ccd);
	return sum;
}

static char *line_of(const struct file_pair *pair, size_t *size)
{
	static const struct presentation plain = {.columns = 0};
	char *line;
	FILE *out = open_memstream(&line, size);

	formatter_text.pair(out, pair, &plain);
	fclose(out);
	return line;
}

static void expect(struct output *output)
{
	FILE *text = open_memstream(&output->text, &output->size);

	output->expected = calloc(PAIRS, sizeof *output->expected);
	assert_non_null(output->expected);
	for (size_t i = 0; i < PAIRS; i++) {
		struct expected *line = &output->expected[i];
		line->line = line_of(&pairs[i], &line->size);
		line->key = pair_similarity_key(&pairs[i]);
		output->sum += sum_of(line->line, line->size, line->key);
	}
	qsort(output->expected, PAIRS, sizeof *output->expected, compare_expected);
	for (size_t i = 0; i < PAIRS; i++)
		fwrite(output->expected[i].line, 1, output->expected[i].size, text);
	fclose(text);
}

static void release(struct output *output)
{
	for (size_t i = 0; i < PAIRS; i++)
		free(output->expected[i].line);
	free(output->expected);
	free(output->text);
}

/* ---- What is handed on ---- */

static int compare_lines(void *context, const char *lines, size_t size, struct simhash_error *error)
{
	struct output *output = context;

	(void)error;
	assert_true(output->lines + size <= output->size);
	assert_memory_equal(lines, output->text + output->lines, size);
	output->lines += size;
	return 0;
}

static int subtract_line(void *context, double key, const char *line, size_t size,
			 struct simhash_error *error)
{
	struct output *output = context;

	(void)error;
	output->sum -= sum_of(line, size, key);
	output->lines++;
	return 0;
}

struct adder {
	struct pair_sorter *sorter;
	unsigned thread, threads;
	bool failed;
};

static void *add_some(void *context)
{
	struct adder *adder = context;
	struct simhash_error error;

	for (size_t i = adder->thread; i < PAIRS; i += adder->threads)
		if (pair_sorter_add(adder->sorter, adder->thread, &pairs[i],
				    pair_similarity_key(&pairs[i]), &error) != 1)
			adder->failed = true;
	return NULL;
}

static struct pair_sorter *collect(unsigned threads, size_t memory_bytes)
{
	struct adder adders[THREADS];
	struct pair_sorter *sorter;
	struct simhash_error error;

	assert_int_equal(pair_sorter_new(threads, memory_bytes, PATHS_BYTES, &sorter, &error), 0);
	for (unsigned i = 0; i < threads; i++)
		adders[i] = (struct adder){.sorter = sorter, .thread = i, .threads = threads};
	threads_run(threads, add_some, adders, sizeof *adders);
	for (unsigned i = 0; i < threads; i++)
		assert_false(adders[i].failed);
	return sorter;
}

static void check(const char *const *odd, size_t odd_count, int expected_status)
{
	static const size_t memories[] = {1 << 20, 100000, 1};

	name_files(odd, odd_count);
	for (unsigned threads = 1; threads <= THREADS; threads++)
		for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
			struct output output = {.size = 0};
			struct simhash_error error;
			struct pair_sorter *sorter;
			uint64_t count = 0;
			make_pairs(threads * 10 + m);
			expect(&output);
			sorter = collect(threads, memories[m]);
			assert_int_equal(
				pair_sorter_write(sorter, compare_lines, &output, &count, &error),
				expected_status);
			if (expected_status == 1) {
				assert_int_equal(count, PAIRS);
				assert_int_equal(output.lines, output.size);
			} else {
				assert_int_equal(output.lines, 0);
				assert_int_equal(
					pair_sorter_drain(sorter, subtract_line, &output, &error),
					0);
				assert_int_equal(output.lines, PAIRS);
				assert_true(output.sum == 0);
			}
			pair_sorter_free(sorter);
			release(&output);
		}
}

static void pairs_come_as_their_lines_do(void **state)
{
	static const char *const odd[] = {"/a",	   "/a b",	"/a!", "/a/b", "/a/b c", "web:/a",
					  "/\xff", "/\xc3\xa9", "-",   "/a\n", "/aa"};

	(void)state;
	check(odd, 0, 1);
	check(odd, sizeof odd / sizeof *odd, 1);
}

/* The first line may come before or behind the second by what the other file is called. */
static void paths_that_go_on_behind_a_gap_are_left_to_lines(void **state)
{
	static const char *const gap[] = {"/a", "/a  b"}, *const blank[] = {"/a", "/a "},
				 *const twice[] = {"/a", "/a"};

	(void)state;
	check(gap, 2, 0);
	check(blank, 2, 0);
	check(twice, 2, 0);
}

/* What does not fit is said not to be taken, and all after it; of what was taken, nothing is lost. */
static void paths_take_no_more_than_they_may(void **state)
{
	struct simhash_error error;
	uint64_t taken[2] = {0, 0};

	(void)state;
	name_files(NULL, 0);
	make_pairs(7);
	for (size_t m = 0; m < 2; m++) {
		struct pair_sorter *sorter;
		struct output output = {.size = 0};
		bool is_full = false;
		assert_int_equal(pair_sorter_new(1, 1 << 20, (size_t)2000 << m, &sorter, &error),
				 0);
		for (size_t i = 0; i < PAIRS; i++) {
			char *line;
			size_t size;
			double key = pair_similarity_key(&pairs[i]);
			int status = pair_sorter_add(sorter, 0, &pairs[i], key, &error);
			assert_in_range(status, 0, is_full ? 0 : 1);
			if (status == 0) {
				is_full = true;
				continue;
			}
			line = line_of(&pairs[i], &size);
			output.sum += sum_of(line, size, key);
			free(line);
			taken[m]++;
		}
		assert_int_equal(pair_sorter_drain(sorter, subtract_line, &output, &error), 0);
		assert_int_equal(output.lines, taken[m]);
		assert_true(output.sum == 0);
		pair_sorter_free(sorter);
	}
	/* With twice the room more of them; all were too many for either. */
	assert_in_range(taken[0], 5, PAIRS / 3);
	assert_in_range(taken[1], taken[0] + 5, PAIRS - 1);
}

/* Threads that go on adding while another drains: each pair is drained, or refused. */
struct drainer {
	struct pair_sorter *sorter;
	struct output *output; /* of the thread */
	unsigned thread, threads;
	uint64_t refused;
	bool failed;
};

static void *add_or_drain(void *context)
{
	struct drainer *drainer = context;
	struct simhash_error error;

	for (size_t i = drainer->thread; i < PAIRS; i += drainer->threads) {
		double key = pair_similarity_key(&pairs[i]);
		int status =
			pair_sorter_add(drainer->sorter, drainer->thread, &pairs[i], key, &error);
		size_t size;
		char *line;
		if (status == 0) {
			line = line_of(&pairs[i], &size);
			drainer->output->sum -= sum_of(line, size, key);
			free(line);
			drainer->refused++;
			if (pair_sorter_drain(drainer->sorter, subtract_line, drainer->output,
					      &error) != 0)
				status = -1;
		}
		drainer->failed = drainer->failed || status < 0;
	}
	return NULL;
}

static void no_pair_is_lost_when_threads_drain(void **state)
{
	(void)state;
	name_files(NULL, 0);
	for (unsigned round = 0; round < 20; round++) {
		struct output outputs[THREADS] = {{.size = 0}}, all = {.size = 0};
		struct drainer drainers[THREADS];
		struct pair_sorter *sorter;
		struct simhash_error error;
		uint64_t refused = 0;
		make_pairs(round);
		expect(&all);
		assert_int_equal(
			pair_sorter_new(THREADS, 1 << 20, 1500 + 100 * round, &sorter, &error), 0);
		for (unsigned i = 0; i < THREADS; i++)
			drainers[i] = (struct drainer){.sorter = sorter,
						       .output = &outputs[i],
						       .thread = i,
						       .threads = THREADS};
		threads_run(THREADS, add_or_drain, drainers, sizeof *drainers);
		for (unsigned i = 0; i < THREADS; i++) {
			assert_false(drainers[i].failed);
			refused += drainers[i].refused;
			all.sum += outputs[i].sum;
			all.lines += outputs[i].lines;
		}
		assert_in_range(refused, 1, PAIRS);
		assert_int_equal(all.lines + refused, PAIRS);
		assert_true(all.sum == 0);
		pair_sorter_free(sorter);
		release(&all);
	}
}

static void a_folder_that_is_missing_is_named(void **state)
{
	struct pair_sorter *sorter;
	struct simhash_error error;
	int status = 1;

	(void)state;
	name_files(NULL, 0);
	make_pairs(1);
	setenv("TMPDIR", "/no/such/folder", 1);
	assert_int_equal(pair_sorter_new(1, 1, PATHS_BYTES, &sorter, &error), 0);
	for (size_t i = 0; status == 1 && i < PAIRS; i++)
		status = pair_sorter_add(sorter, 0, &pairs[i], 0, &error);
	assert_int_equal(status, -1);
	assert_non_null(strstr(error.message, "/no/such/folder"));
	pair_sorter_free(sorter);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_come_as_their_lines_do),
		cmocka_unit_test(paths_that_go_on_behind_a_gap_are_left_to_lines),
		cmocka_unit_test(paths_take_no_more_than_they_may),
		cmocka_unit_test(no_pair_is_lost_when_threads_drain),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
