/*
 * The sorter of lines: in memory, and by temporary files when it has little of that.
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

#include "report/sorter.h"

#define LINES 5000

struct seen {
	size_t count;
	double last_key;
	char last[64];
	uint64_t sum; /* of all lines, in any order */
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
	sort_with(1 << 20); /* all of them */
	sort_with(40000);   /* a few runs */
	sort_with(1000);    /* a few hundred */
	sort_with(10);	    /* less than a line */
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
		cmocka_unit_test(no_lines_are_none),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
