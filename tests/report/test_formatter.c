/*
 * Compares the output of the formatters byte by byte.
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

#include "base/text/escape.h"
#include "report/formats/formats.h"
#include "report/lists/formatter.h"
#include "report/lists/marked.h"

#define BYTES(text)                   \
	{                             \
		text, sizeof text - 1 \
	}

#define FILE_OF(size, text)                                                          \
	{                                                                            \
		.size_bytes = size, .display = text, .display_size = sizeof text - 1 \
	}

static const struct find_file files[] = {FILE_OF(100, "/a"), FILE_OF(200, "/b c"),
					 FILE_OF(0, "/q\"\x1b,\n"),
					 FILE_OF(0, "/\xff\xc3\xa9\xed\xa0\x80\\\xc2\x9b")};
static const struct file_pair plain = {
	.a = &files[0],
	.b = &files[1],
	.relation = {.distance = 3, .verification = PAIR_SKETCH, .resemblance = 0.875}};
static const struct file_pair odd = {.a = &files[2],
				     .b = &files[3],
				     .relation = {.is_identical = true,
						  .verification = PAIR_READ,
						  .contained_a = 1,
						  .contained_b = 0.5,
						  .resemblance = 0.75}};
static const struct find_file member_files[] = {FILE_OF(7, "/r,"), FILE_OF(7, "/\x01"),
						FILE_OF(8, "/m")};
static const struct group_member members[] = {
	{.file = &member_files[0], .role = ROLE_REPRESENTATIVE, .relation = RELATION_OF_COPIES},
	{.file = &member_files[1], .role = ROLE_COPY, .relation = RELATION_OF_COPIES},
	{.file = &member_files[2],
	 .role = ROLE_MEMBER,
	 .relation = {.distance = 5, .verification = PAIR_SKETCH, .resemblance = 0.9991}},
};

static void expect(const char *format, bool is_terminal, const char *expected)
{
	const struct formatter *formatter = formatter_find(format);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct presentation how = {.records = {formatter->format, is_terminal}};

	frame_begin(out, &formatter->pairs);
	frame_next(out, &formatter->pairs, 0);
	formatter->pair(out, &plain, &how);
	frame_next(out, &formatter->pairs, 1);
	formatter->pair(out, &odd, &how);
	frame_end(out, &formatter->pairs, 2);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void expect_groups(const char *format, const char *expected)
{
	const struct formatter *formatter = formatter_find(format);
	const struct group group = {.number = 1,
				    .id = 0xab00000000cd,
				    .count = 3,
				    .bytes = 22,
				    .copied_bytes = 7,
				    .representative = &member_files[0]};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct presentation how = {.records = {formatter->format, true}};

	frame_begin(out, &formatter->groups);
	frame_next(out, &formatter->groups, 0);
	if (formatter->group != NULL)
		formatter->group(out, &group, &how);
	for (int i = 0; i < 3; i++)
		formatter->member(out, &group, &members[i], &how);
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, out);
	frame_end(out, &formatter->groups, 1);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void groups_are_written_in_each_format(void **state)
{
	(void)state;
	expect_groups("csv", "group,role,distance,size,path,resemblance,verified,id\r\n"
			     "1,representative,0,7,\"/r,\",1.000000,hash,0000ab00000000cd\r\n"
			     "1,copy,0,7,/\\x01,1.000000,hash,0000ab00000000cd\r\n"
			     "1,member,5,8,/m,0.999100,sketch,0000ab00000000cd\r\n");
	expect_groups("json",
		      "[\n{\"group\":1,\"id\":\"0000ab00000000cd\",\"files\":3,\"bytes\":22,"
		      "\"copied_bytes\":7,\"members\":["
		      "{\"role\":\"representative\",\"distance\":0,"
		      "\"size\":7,\"resemblance\":1.000000,\"verified\":\"hash\",\"path\":\"/r,\"},"
		      "{\"role\":\"copy\",\"distance\":0,\"size\":7,"
		      "\"resemblance\":1.000000,\"verified\":\"hash\","
		      "\"path\":\"/\\u0001\"},"
		      "{\"role\":\"member\",\"distance\":5,\"size\":8,"
		      "\"resemblance\":0.999100,\"verified\":\"sketch\","
		      "\"path\":\"/m\"}]}\n]\n");
}

static void lines_of_json_stand_alone(void **state)
{
	(void)state;
	expect("jsonl", false,
	       "{\"match\":\"similar\",\"distance\":3,\"count_difference\":2.000000,"
	       "\"resemblance\":0.875000,\"verified\":\"sketch\",\"size_a\":"
	       "100,"
	       "\"size_b\":200,\"path_a\":\"/a\",\"path_b\":\"/b c\"}\n"
	       "{\"match\":\"identical\",\"distance\":0,\"count_difference\":0.000000,"
	       "\"confirmation\":\"confirmed\",\"contained_a\":1.000000,"
	       "\"contained_b\":0.500000,\"resemblance\":0.750000,\"verified\":\"read\",\"size_a\":"
	       "0,"
	       "\"size_b\":0,\"path_a\":\"/q\\\"\\u001b,\\u000a\","
	       "\"path_b\":\"/\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\\\\\u009b\","
	       "\"path_b_hex\":\"2fffc3a9eda0805cc29b\"}\n");
	expect_groups("jsonl",
		      "{\"group\":1,\"id\":\"0000ab00000000cd\",\"files\":3,\"bytes\":22,"
		      "\"copied_bytes\":7,\"members\":["
		      "{\"role\":\"representative\",\"distance\":0,"
		      "\"size\":7,\"resemblance\":1.000000,\"verified\":\"hash\",\"path\":\"/r,\"},"
		      "{\"role\":\"copy\",\"distance\":0,\"size\":7,"
		      "\"resemblance\":1.000000,\"verified\":\"hash\","
		      "\"path\":\"/\\u0001\"},"
		      "{\"role\":\"member\",\"distance\":5,\"size\":8,"
		      "\"resemblance\":0.999100,\"verified\":\"sketch\","
		      "\"path\":\"/m\"}]}\n");
}

static void null_ends_paths_by_zeros(void **state)
{
	static const struct presentation how = {.records = {RECORD_NULL, false}};
	static const char expected[] =
		"/a\0/b c\0/q\"\x1b,\n\0/\xff\xc3\xa9\xed\xa0\x80\\\xc2\x9b\0"
		"/r,\0\0/m";
	const struct group first = {.number = 1, .representative = &member_files[0]},
			   second = {.number = 2, .representative = &member_files[2]};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	formatter_null.pair(out, &plain, &how);
	formatter_null.pair(out, &odd, &how);
	formatter_null.group(out, &first, &how);
	formatter_null.member(out, &first, &members[0], &how);
	formatter_null.group(out, &second, &how);
	formatter_null.member(out, &second, &members[2], &how);
	fclose(out);
	assert_int_equal(size, sizeof expected);
	assert_memory_equal(text, expected, sizeof expected);
	free(text);
	expect("null", true,
	       "/a\n/b c\n/q\"\\x1b,\\n\n/\\xff\xc3\xa9\\xed\\xa0\\x80\\\\\\xc2\\x9b\n");
}

static void expect_marked(const char *marked, const char *prefix, size_t width,
			  const char *expected)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write_marked(out, (struct bytes){marked, strlen(marked)},
		     &(struct layout){
			     .prefix = {prefix, strlen(prefix)}, .first = width, .columns = 80});
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void nothing_is_written_in_each_format(void **state)
{
	static const struct {
		const char *format, *expected;
	} cases[] = {{"text", ""}, {"json", "[]\n"}, {"jsonl", ""}, {"null", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct formatter *formatter = formatter_find(cases[i].format);
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		frame_begin(out, &formatter->pairs);
		frame_end(out, &formatter->pairs, 0);
		fclose(out);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

static void marks_leave_out_prefixes_and_align(void **state)
{
	(void)state;
	expect_marked("x \1/a/b\2|\1/a/c\n", "", 0, "x /a/b|/a/c\n");
	expect_marked("x \1/a/b\2|\1/a/c\n", "/a/", 4, "x b   |c\n");
	expect_marked("x \1/a/\xc3\xa9\2|\1/b/c\n", "/a/", 3, "x \xc3\xa9  |/b/c\n");
	expect_marked("x \1/a/long\2|\1/a/\n", "/a/", 2, "x long|\n");
	expect_marked("", "/a/", 2, "");
}

static void text_escapes_what_could_act(void **state)
{
	(void)state;
	expect("text", false,
	       "87 %              /a  /b c\n"
	       "identical         /q\"\\x1b,\\n  "
	       "/\\xff\xc3\xa9\\xed\\xa0\\x80\\\\\\xc2\\x9b\n");
}

static void csv_keeps_every_byte_and_quotes_by_the_rfc(void **state)
{
	(void)state;
	expect("csv", false,
	       "match,distance,count_difference,confirmation,contained_a,contained_b,"
	       "resemblance,size_a,size_b,path_a,path_b,verified\r\n"
	       "similar,3,2.000000,,,,0.875000,100,200,/a,/b c,sketch\r\n"
	       "identical,0,0.000000,confirmed,1.000000,0.500000,0.750000,0,0,\"/"
	       "q\"\"\x1b,\n\",/"
	       "\xff\xc3\xa9\xed\xa0\x80\\\xc2\x9b,read\r\n");
}

static void csv_on_a_terminal_has_no_control_bytes(void **state)
{
	(void)state;
	expect("csv", true,
	       "match,distance,count_difference,confirmation,contained_a,contained_b,"
	       "resemblance,size_a,size_b,path_a,path_b,verified\r\n"
	       "similar,3,2.000000,,,,0.875000,100,200,/a,/b c,sketch\r\n"
	       "identical,0,0.000000,confirmed,1.000000,0.500000,0.750000,0,0,\"/"
	       "q\"\"\\x1b,\\n\","
	       "/\\xff\xc3\xa9\\xed\\xa0\\x80\\\\\\xc2\\x9b,read\r\n");
}

static void json_is_utf_8_with_the_bytes_beside_what_is_not(void **state)
{
	(void)state;
	expect("json", true,
	       "[\n{\"match\":\"similar\",\"distance\":3,\"count_difference\":2.000000,"
	       "\"resemblance\":0.875000,\"verified\":\"sketch\",\"size_a\":"
	       "100,"
	       "\"size_b\":200,\"path_a\":\"/a\",\"path_b\":\"/b c\"},\n"
	       "{\"match\":\"identical\",\"distance\":0,\"count_difference\":0.000000,"
	       "\"confirmation\":\"confirmed\",\"contained_a\":1.000000,"
	       "\"contained_b\":0.500000,\"resemblance\":0.750000,\"verified\":\"read\",\"size_a\":"
	       "0,"
	       "\"size_b\":0,\"path_a\":\"/q\\\"\\u001b,\\u000a\","
	       "\"path_b\":\"/\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\\\\\u009b\","
	       "\"path_b_hex\":\"2fffc3a9eda0805cc29b\"}\n]\n");
}

/*
 * Characters with the property Bidi_Control in Unicode 15, control characters, and two separators.
 */
static void what_acts_on_a_display_is_known(void **state)
{
	static const uint32_t marks[] = {0x61c,	 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
					 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
	unsigned count = 0;

	(void)state;
	for (uint32_t code = 0; code <= 0x10ffff; code++)
		count += acts_on_display(code);
	assert_int_equal(count, 32 + 1 + 32 + sizeof marks / sizeof *marks);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		assert_true(acts_on_display(marks[i]));
	assert_true(acts_on_display(0) && acts_on_display(0x1f) && !acts_on_display(0x20));
	assert_true(acts_on_display(0x7f) && acts_on_display(0x9f) && !acts_on_display(0xa0));
	assert_int_equal(code_point((const unsigned char *)"a", 1), 'a');
	assert_int_equal(code_point((const unsigned char *)"\xd8\x9c", 2), 0x61c);
	assert_int_equal(code_point((const unsigned char *)"\xe2\x80\xae", 3), 0x202e);
	assert_int_equal(code_point((const unsigned char *)"\xf4\x8f\xbf\xbf", 4), 0x10ffff);
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
		cmocka_unit_test(groups_are_written_in_each_format),
		cmocka_unit_test(lines_of_json_stand_alone),
		cmocka_unit_test(null_ends_paths_by_zeros),
		cmocka_unit_test(nothing_is_written_in_each_format),
		cmocka_unit_test(marks_leave_out_prefixes_and_align),
		cmocka_unit_test(what_acts_on_a_display_is_known),
		cmocka_unit_test(utf_8_is_told_from_what_looks_like_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
