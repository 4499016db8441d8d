/*
 * Tests the progress line: a field that does not fit is left out completely. The time left is not
 * shown if it is unknown, and not for long if it is almost zero.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/progress_line.h"

static void parts_that_do_not_fit_are_left_out_as_a_whole(void **state)
{
	static const struct line_part parts[] = {
		{" 45%", 0}, {"12 of 30 files", 1}, {"350 MB/s", 3}, {"", 2}, {"0:12 left", 2}};
	static const char *const expected[] = {" 45%  12 of 30 files  350 MB/s  0:12 left",
					       " 45%  12 of 30 files  0:12 left",
					       " 45%  12 of 30 files", " 45%", ""};

	(void)state;
	for (unsigned columns = 0; columns <= 60; columns++) {
		char text[128] = "";
		FILE *line = fmemopen(text, sizeof text, "w");
		unsigned width = write_parts(line, parts, sizeof parts / sizeof *parts, columns);
		size_t i = 0;
		fclose(line);
		while (strlen(expected[i]) > columns)
			i++;
		assert_string_equal(text, expected[i]);
		assert_int_equal(width, strlen(expected[i]));
	}
}

static void only_all_is_100_percent(void **state)
{
	(void)state;
	assert_int_equal(whole_percent(0, 0), 100);
	assert_int_equal(whole_percent(0, 7), 0);
	assert_int_equal(whole_percent(999999, 1000000), 99);
	assert_int_equal(whole_percent(7, 7), 100);
}

/* 100 units at a rate of 10 per second. */
static void the_time_left_is_that_of_the_rate(void **state)
{
	struct time_left left = {.is_short = false};
	char text[64];

	(void)state;
	write_time_left(&left, 0.01, 0, 100, text);
	assert_string_equal(text, "");
	for (int i = 1; i <= 70; i++)
		write_time_left(&left, 0.1 * i, i, 100 - i, text);
	assert_string_equal(text, "0:03 left");
}

static void next_to_nothing_is_not_left_for_long(void **state)
{
	struct time_left left = {.is_short = false};
	char text[64];
	unsigned shown = 0;

	(void)state;
	for (int i = 1; i <= 200; i++) {
		/* At each step, a thousandth of the work is left. */
		write_time_left(&left, 0.1 * i, i, 0.001 * i, text);
		shown += strstr(text, " left") != NULL;
	}
	assert_string_equal(text, "finishing");
	assert_in_range(shown, 1, 32);
	/* It is shown again when there is more work than expected. */
	write_time_left(&left, 20.1, 201, 1000, text);
	assert_non_null(strstr(text, " left"));
	write_time_left(&left, 20.2, 202, 0, text);
	assert_string_equal(text, "finishing");
}

static void time_that_was_waited_is_no_measure(void **state)
{
	struct time_left left = {.is_short = false};
	char before[64], after[64];

	(void)state;
	for (int i = 1; i <= 50; i++)
		write_time_left(&left, 0.1 * i, i, 500, before);
	for (int i = 0; i < 1000; i++)
		skip_time(&left, 5 + i, 50);
	write_time_left(&left, 1004.1, 51, 500, after);
	assert_string_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_that_do_not_fit_are_left_out_as_a_whole),
		cmocka_unit_test(only_all_is_100_percent),
		cmocka_unit_test(the_time_left_is_that_of_the_rate),
		cmocka_unit_test(next_to_nothing_is_not_left_for_long),
		cmocka_unit_test(time_that_was_waited_is_no_measure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
