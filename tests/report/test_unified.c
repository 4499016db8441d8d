/*
 * Tests hunks of differing lines, and bytes of files that are made visible.
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

#include "base/basic/bytes.h"
#include "report/page/html_text.h"
#include "report/page/unified.h"

static struct simhash_error error;

static char *hunks_of(const char *a, const char *b, size_t max_bytes)
{
	struct line_diff diff;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(line_diff(a, strlen(a), b, strlen(b), LINE_DIFF_MOST, &diff, &error), 0);
	assert_int_equal(unified_write(out, bytes_of(a), bytes_of(b), &diff, max_bytes, &error), 0);
	fclose(out);
	line_diff_release(&diff);
	return text;
}

static void expect(const char *a, const char *b, size_t max_bytes, const char *expected)
{
	char *found = hunks_of(a, b, max_bytes);

	assert_string_equal(found, expected);
	free(found);
}

static void hunks_have_three_lines_around_them(void **state)
{
	(void)state;
	expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", 1000,
	       "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
	/* Six lines between two changes join them into one hunk; seven do not. */
	expect("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n", 1000,
	       "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
	expect("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n", 1000,
	       "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
	       "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
	expect("", "new\n", 1000, "@@ -0,0 +1,1 @@\n+new\n");
	expect("same\n", "same\n", 1000, "");
}

static void a_missing_newline_is_told(void **state)
{
	(void)state;
	expect("x", "x\n", 1000, "@@ -1,1 +1,1 @@\n-x\n\\ No newline at the end of the file\n+x\n");
}

static void what_is_left_out_is_told(void **state)
{
	char line[1000], other[1000], *found;

	(void)state;
	expect("1\n2\n3\n", "4\n5\n6\n", 3,
	       "@@ -1,3 +1,3 @@\n-1\n-2\n~4 more changed lines are not shown\n");
	memset(line, 'x', 500);
	strcpy(line + 500, "\n");
	strcpy(other, "y\n");
	found = hunks_of(line, other, 10000);
	assert_non_null(strstr(found, "x [100 more bytes]\n+y\n"));
	free(found);
	/* A character of two bytes at the end of the shown part is not cut. */
	memcpy(line + 399, "\xc3\xa9", 2);
	found = hunks_of(line, other, 10000);
	assert_non_null(strstr(found, "x [101 more bytes]\n+y\n"));
	free(found);
}

static void expect_visible(const char *bytes, size_t size, const char *expected)
{
	char *text;
	size_t written;
	FILE *out = open_memstream(&text, &written);

	html_write_visible(out, (struct bytes){bytes, size});
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void bytes_that_act_are_made_visible(void **state)
{
	(void)state;
	expect_visible("a\tb\\c \xc3\xa9", 8, "a\tb\\c \xc3\xa9");
	expect_visible("\0\x1b\x7f\r", 4, "\xe2\x90\x80\xe2\x90\x9b\xe2\x90\xa1\xe2\x90\x8d");
	expect_visible("\xff\xc3", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	expect_visible("x\xe2\x80\xaey\xc2\x85", 6 + 1, "x[U+202E]y[U+0085]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hunks_have_three_lines_around_them),
		cmocka_unit_test(a_missing_newline_is_told),
		cmocka_unit_test(what_is_left_out_is_told),
		cmocka_unit_test(bytes_that_act_are_made_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
