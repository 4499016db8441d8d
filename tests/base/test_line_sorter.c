/*
 * Tests the sorter of lines, in memory and with temporary files when memory is small.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sort/line_sorter.h"

#define LINES 5000

struct seen {
	size_t count;
	double last_key;
	char last[64];
	uint64_t sum; /* the sum of all lines in any order */
};

static struct simhash_error error;

static uint64_t hash_line(const char *line, size_t size)
{
	uint64_t hash = size;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)line[i]) * UINT64_C(0xff51afd7ed558ccd);
	return hash;
}

/* A line begins with its key in hexadecimal. */
static int check_line(void *context, const char *line, size_t size, struct simhash_error *ignored)
{
	struct seen *seen = context;
	char text[64];
	double key;

	(void)ignored;
	assert_true(size < sizeof text);
	memcpy(text, line, size);
	text[size] = '\0';
	key = strtod(text, NULL);
	if (seen->count++ > 0) {
		assert_true(key >= seen->last_key);
		if (key == seen->last_key)
			assert_true(strcmp(text, seen->last) >= 0);
	}
	seen->last_key = key;
	strcpy(seen->last, text);
	seen->sum += hash_line(line, size);
	return 0;
}

static void sort_with(size_t memory_bytes)
{
	struct line_sorter *sorter;
	struct seen seen = {0};
	uint64_t state = 3, sum = 0;

	assert_int_equal(line_sorter_new(memory_bytes, &sorter, &error), 0);
	for (int i = 0; i < LINES; i++) {
		char line[64];
		int size;
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		size = snprintf(line, sizeof line, "%a %0*d", (double)(state >> 56),
				(int)(state >> 40) % 30, (int)(state >> 33) % 100);
		assert_int_equal(
			line_sorter_add(sorter, strtod(line, NULL), line, (size_t)size, &error), 0);
		sum += hash_line(line, (size_t)size);
	}
	assert_int_equal(line_sorter_write(sorter, check_line, &seen, &error), 0);
	assert_int_equal(seen.count, LINES);
	assert_true(seen.sum == sum);
	line_sorter_free(sorter);
}

static void lines_come_in_order_with_any_memory(void **state)
{
	(void)state;
	sort_with(1 << 20); /* all lines in memory */
	sort_with(40000);   /* a few runs */
	sort_with(1000);    /* a few hundred runs */
	sort_with(10);	    /* less than one line */
}

static struct rlimit open_files;

/* One more file can be opened, but no others. */
static int allow_one_file(void **state)
{
	struct rlimit limit;
	int lowest = dup(STDOUT_FILENO);

	(void)state;
	if (lowest < 0 || close(lowest) != 0 || getrlimit(RLIMIT_NOFILE, &open_files) != 0)
		return -1;
	limit = open_files;
	limit.rlim_cur = (rlim_t)lowest + 1;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

static int allow_files(void **state)
{
	(void)state;
	return setrlimit(RLIMIT_NOFILE, &open_files);
}

static void hundreds_of_runs_wait_in_one_file(void **state)
{
	(void)state;
	sort_with(1000);
}

static void no_lines_are_none(void **state)
{
	struct line_sorter *sorter;
	struct seen seen = {0};

	(void)state;
	assert_int_equal(line_sorter_new(100, &sorter, &error), 0);
	assert_int_equal(line_sorter_write(sorter, check_line, &seen, &error), 0);
	assert_int_equal(seen.count, 0);
	line_sorter_free(sorter);
}

/* ---- Other orders, compared with qsort ---- */

struct record {
	struct line_key key;
	char bytes[64]; /* the text, then the line */
};

struct wanted {
	struct record *records;
	size_t next;
};

static int compare_parts(const char *x, size_t x_size, const char *y, size_t y_size)
{
	char a[64] = "", b[64] = "";

	memcpy(a, x, x_size);
	memcpy(b, y, y_size);
	return strcmp(a, b);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	size_t s = x->key.text, t = y->key.text;
	int order = (x->key.key > y->key.key) - (x->key.key < y->key.key);

	if (order == 0)
		order = compare_parts(x->bytes, s, y->bytes, t);
	if (order == 0)
		order = (x->key.then > y->key.then) - (x->key.then < y->key.then);
	return order != 0 ? order
			  : compare_parts(x->bytes + s, x->key.size - s, y->bytes + t,
					  y->key.size - t);
}

static int expect_line(void *context, const char *line, size_t size, struct simhash_error *ignored)
{
	struct wanted *wanted = context;
	const struct record *record = &wanted->records[wanted->next++];

	(void)ignored;
	assert_int_equal(size, record->key.size - record->key.text);
	assert_memory_equal(line, record->bytes + record->key.text, size);
	return 0;
}

static void restricted_to(size_t memory_bytes, bool reverse, uint64_t limit)
{
	struct record *records = calloc(LINES, sizeof *records);
	struct wanted wanted = {.records = records};
	struct line_sorter *sorter;
	uint64_t state = limit + 1;

	assert_non_null(records);
	assert_int_equal(line_sorter_new(memory_bytes, &sorter, &error), 0);
	line_sorter_restrict(sorter, reverse, limit);
	for (int i = 0; i < LINES; i++) {
		struct record *record = &records[i];
		int text, line;
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		/* No letter precedes the full stop. */
		text = snprintf(record->bytes, 32, "%.*s.", (int)(state >> 60),
				state >> 59 & 1 ? "aaaaaaaaaaaaaaaa" : "aaaabaaaaaaaaaaa");
		line = snprintf(record->bytes + text, 32, "%d", (int)(state >> 20 & 1023));
		record->key = (struct line_key){.key = (double)(state >> 56 & 3),
						.then = (double)(state >> 50 & 7),
						.text = (size_t)text,
						.size = (size_t)(text + line)};
		assert_int_equal(
			line_sorter_add_all(sorter, record->bytes, &record->key, 1, &error), 0);
	}
	assert_true(line_sorter_added(sorter) == LINES);
	qsort(records, LINES, sizeof *records, compare_records);
	for (size_t i = 0; reverse && i < LINES / 2; i++) {
		struct record swapped = records[i];
		records[i] = records[LINES - 1 - i];
		records[LINES - 1 - i] = swapped;
	}
	assert_int_equal(line_sorter_write(sorter, expect_line, &wanted, &error), 0);
	assert_int_equal(wanted.next, limit == 0 || limit > LINES ? LINES : limit);
	line_sorter_free(sorter);
	free(records);
}

static void the_first_of_an_order_are_those_of_all(void **state)
{
	static const uint64_t limits[] = {0, 1, 7, 1000, LINES - 1, LINES, 2 * LINES};
	static const size_t memories[] = {1 << 20, 20000, 100};

	(void)state;
	for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
		for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
			restricted_to(memories[m], false, limits[l]);
			restricted_to(memories[m], true, limits[l]);
		}
}

/* ---- Several threads ---- */

enum { ADDERS = 4, ADDED = 20000 };

struct adder {
	struct line_sorter *sorter;
	unsigned number;
};

static void *add_lines(void *context)
{
	const struct adder *adder = context;
	struct simhash_error own;

	for (int i = 0; i < ADDED; i++) {
		char line[64];
		int size = snprintf(line, sizeof line, "%d %x %06d", i * 7919 % 13, adder->number,
				    i * 7919 % ADDED);
		if (line_sorter_add(adder->sorter, i * 7919 % 13, line, (size_t)size, &own) != 0)
			return context;
	}
	return NULL;
}

/* While one thread writes a full buffer, others fill the second buffer and wait for the first. */
static void lines_of_several_threads_come_once_each(void **state)
{
	static const size_t memories[] = {1 << 24, 200000, 5000};

	(void)state;
	for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
		struct adder adders[ADDERS];
		pthread_t threads[ADDERS];
		struct line_sorter *sorter;
		struct seen seen = {0};
		uint64_t sum = 0;
		assert_int_equal(line_sorter_new(memories[m], &sorter, &error), 0);
		for (unsigned i = 0; i < ADDERS; i++) {
			adders[i] = (struct adder){sorter, i};
			assert_int_equal(pthread_create(&threads[i], NULL, add_lines, &adders[i]),
					 0);
		}
		for (unsigned i = 0; i < ADDERS; i++) {
			void *failed;
			assert_int_equal(pthread_join(threads[i], &failed), 0);
			assert_null(failed);
			for (int n = 0; n < ADDED; n++) {
				char line[64];
				int size = snprintf(line, sizeof line, "%d %x %06d", n * 7919 % 13,
						    i, n * 7919 % ADDED);
				sum += hash_line(line, (size_t)size);
			}
		}
		assert_int_equal(line_sorter_write(sorter, check_line, &seen, &error), 0);
		assert_int_equal(seen.count, ADDERS * ADDED);
		assert_true(seen.sum == sum);
		line_sorter_free(sorter);
	}
}

static void a_folder_that_is_missing_is_named(void **state)
{
	struct line_sorter *sorter;

	(void)state;
	setenv("TMPDIR", "/no/such/folder", 1);
	assert_int_equal(line_sorter_new(4, &sorter, &error), 0);
	assert_int_equal(line_sorter_add(sorter, 1, "abcd", 4, &error), 0);
	assert_int_equal(line_sorter_add(sorter, 1, "efgh", 4, &error), -1);
	assert_non_null(strstr(error.message, "/no/such/folder"));
	line_sorter_free(sorter);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_in_order_with_any_memory),
		cmocka_unit_test_setup_teardown(hundreds_of_runs_wait_in_one_file, allow_one_file,
						allow_files),
		cmocka_unit_test(no_lines_are_none),
		cmocka_unit_test(the_first_of_an_order_are_those_of_all),
		cmocka_unit_test(lines_of_several_threads_come_once_each),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
