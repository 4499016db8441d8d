/*
 * Compares differing lines with the length of a longest common subsequence, and rebuilds one text
 * from the other.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/line_diff.h"
#include "random.h"
#include "simhash_measures.h"

#define TEXT_BYTES 4096

static struct simhash_error error;

/* A text with few different lines, so that many are equal; the last line may have no end. */
static size_t random_text(char *text, unsigned lines, unsigned kinds)
{
	size_t size = 0;

	for (unsigned i = 0; i < lines; i++)
		size += (size_t)sprintf(text + size, "%u\n", (unsigned)(next_random() % kinds));
	return size > 0 && next_random() % 4 == 0 ? size - 1 : size;
}

static size_t next_line(const char *text, size_t size, size_t at)
{
	const char *end = memchr(text + at, '\n', size - at);

	return end == NULL ? size : (size_t)(end + 1 - text);
}

/* The unmarked lines, one after another; returns their size. */
static size_t unchanged(const char *text, size_t size, const uint8_t *is_changed, size_t lines,
			char *out)
{
	size_t used = 0, line = 0;

	for (size_t at = 0, end; at < size; at = end, line++) {
		end = next_line(text, size, at);
		if (!is_changed[line]) {
			memcpy(out + used, text + at, end - at);
			used += end - at;
		}
	}
	assert_int_equal(line, lines);
	return used;
}

static size_t count_changed(const uint8_t *is_changed, size_t lines)
{
	size_t count = 0;

	for (size_t i = 0; i < lines; i++)
		count += is_changed[i];
	return count;
}

static void check(const char *a, size_t a_size, const char *b, size_t b_size)
{
	static char common_a[TEXT_BYTES], common_b[TEXT_BYTES];
	struct simhash_lcs_lines expected;
	struct line_diff diff;
	size_t size;

	assert_int_equal(simhash_lcs_lines(a, a_size, b, b_size, 0, &expected, &error), 0);
	assert_int_equal(line_diff(a, a_size, b, b_size, LINE_DIFF_MOST, &diff, &error), 0);
	assert_int_equal(diff.lines_a, expected.lines_a);
	assert_int_equal(diff.lines_b, expected.lines_b);
	assert_int_equal(count_changed(diff.is_changed_a, diff.lines_a),
			 expected.lines_a - expected.common);
	assert_int_equal(count_changed(diff.is_changed_b, diff.lines_b),
			 expected.lines_b - expected.common);
	size = unchanged(a, a_size, diff.is_changed_a, diff.lines_a, common_a);
	assert_int_equal(unchanged(b, b_size, diff.is_changed_b, diff.lines_b, common_b), size);
	assert_memory_equal(common_a, common_b, size);
	line_diff_release(&diff);
}

static void what_is_left_is_a_longest_common_subsequence(void **state)
{
	static char a[TEXT_BYTES], b[TEXT_BYTES];

	(void)state;
	random_begin();
	for (int i = 0; i < 3000; i++) {
		unsigned kinds = 1 + (unsigned)(next_random() % 12);
		size_t a_size = random_text(a, (unsigned)(next_random() % 60), kinds);
		size_t b_size = random_text(b, (unsigned)(next_random() % 60), kinds);
		check(a, a_size, b, b_size);
	}
	check("", 0, "", 0);
	check("x\n", 2, "", 0);
	check("x", 1, "x\n", 2);
}

static void more_differences_than_allowed_are_told(void **state)
{
	struct line_diff diff;

	(void)state;
	assert_int_equal(line_diff("a\nb\n", 4, "a\nc\n", 4, 1, &diff, &error), 1);
	assert_int_equal(line_diff("a\nb\n", 4, "a\nc\n", 4, 2, &diff, &error), 0);
	assert_int_equal(diff.is_changed_a[1] + diff.is_changed_b[1], 2);
	line_diff_release(&diff);
	assert_int_equal(line_diff("a\n", 2, "a\n", 2, 0, &diff, &error), 0);
	line_diff_release(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_is_a_longest_common_subsequence),
		cmocka_unit_test(more_differences_than_allowed_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
