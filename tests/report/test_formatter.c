/*
 * The formatters, byte for byte.
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

#include "report/formatter.h"

#define BYTES(text)                   \
	{                             \
		text, sizeof text - 1 \
	}

static const struct pair_line plain = {false, 3, 100, 200, BYTES("/a"), BYTES("/b c")};
static const struct pair_line odd = {
	true, 0, 0, 0, BYTES("/q\"\x1b,\n"), BYTES("/\xff\xc3\xa9\xed\xa0\x80\\\xc2\x9b")};

static void expect(const char *format, bool is_terminal, const char *expected)
{
	const struct formatter *formatter = formatter_find(format);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	formatter->begin(out);
	formatter->pair(out, &plain, 0, is_terminal);
	formatter->pair(out, &odd, 1, is_terminal);
	formatter->end(out, 2);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void text_escapes_what_could_act(void **state)
{
	(void)state;
	expect("text", false,
	       "similar      2.0000%  /a  /b c\n"
	       "identical    0.0000%  /q\"\\x1b,\\n  "
	       "/\\xff\xc3\xa9\\xed\\xa0\\x80\\\\\\xc2\\x9b\n");
}

static void csv_keeps_every_byte_and_quotes_by_the_rfc(void **state)
{
	(void)state;
	expect("csv", false,
	       "match,distance,percent,size_a,size_b,path_a,path_b\r\n"
	       "similar,3,2.000000,100,200,/a,/b c\r\n"
	       "identical,0,0.000000,0,0,\"/q\"\"\x1b,\n\",/"
	       "\xff\xc3\xa9\xed\xa0\x80\\\xc2\x9b\r\n");
}

static void csv_on_a_terminal_has_no_control_bytes(void **state)
{
	(void)state;
	expect("csv", true,
	       "match,distance,percent,size_a,size_b,path_a,path_b\r\n"
	       "similar,3,2.000000,100,200,/a,/b c\r\n"
	       "identical,0,0.000000,0,0,\"/q\"\"\\x1b,\\n\","
	       "/\\xff\xc3\xa9\\xed\\xa0\\x80\\\\\\xc2\\x9b\r\n");
}

static void json_is_utf_8_with_the_bytes_beside_what_is_not(void **state)
{
	(void)state;
	expect("json", true,
	       "[\n{\"match\":\"similar\",\"distance\":3,\"percent\":2.000000,\"size_a\":100,"
	       "\"size_b\":200,\"path_a\":\"/a\",\"path_b\":\"/b c\"},\n"
	       "{\"match\":\"identical\",\"distance\":0,\"percent\":0.000000,\"size_a\":0,"
	       "\"size_b\":0,\"path_a\":\"/q\\\"\\u001b,\\u000a\","
	       "\"path_b\":\"/\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\\\\\u009b\","
	       "\"path_b_hex\":\"2fffc3a9eda0805cc29b\"}\n]\n");
}

static void utf_8_is_told_from_what_looks_like_it(void **state)
{
	static const struct {
		struct bytes bytes;
		size_t length;
	} cases[] = {
		{BYTES(""), 0},
		{BYTES("a"), 1},
		{BYTES("\x7f"), 1},
		{BYTES("\x80"), 0},
		{BYTES("\xc0\x80"), 0},
		{BYTES("\xc1\xbf"), 0},
		{BYTES("\xc2\x80"), 2},
		{BYTES("\xc2"), 0},
		{BYTES("\xdf\xbf\x80"), 2},
		{BYTES("\xe0\x9f\xbf"), 0},
		{BYTES("\xe0\xa0\x80"), 3},
		{BYTES("\xed\x9f\xbf"), 3},
		{BYTES("\xed\xa0\x80"), 0},
		{BYTES("\xef\xbf\xbf"), 3},
		{BYTES("\xe2\x82"), 0},
		{BYTES("\xe2\x82\x41"), 0},
		{BYTES("\xf0\x8f\xbf\xbf"), 0},
		{BYTES("\xf0\x90\x80\x80"), 4},
		{BYTES("\xf4\x8f\xbf\xbf"), 4},
		{BYTES("\xf4\x90\x80\x80"), 0},
		{BYTES("\xf5\x80\x80\x80"), 0},
		{BYTES("\xff"), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (utf8_length(cases[i].bytes) != cases[i].length)
			fail_msg("case %zu: %zu", i, utf8_length(cases[i].bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_escapes_what_could_act),
		cmocka_unit_test(csv_keeps_every_byte_and_quotes_by_the_rfc),
		cmocka_unit_test(csv_on_a_terminal_has_no_control_bytes),
		cmocka_unit_test(json_is_utf_8_with_the_bytes_beside_what_is_not),
		cmocka_unit_test(utf_8_is_told_from_what_looks_like_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
