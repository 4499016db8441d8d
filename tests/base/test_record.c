/*
 * Compares a table of fields in each format byte by byte.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text/json.h"
#include "base/text/record.h"

#define BYTES(text)                   \
	{                             \
		text, sizeof text - 1 \
	}

struct animal {
	const char *kind, *tame;
	struct bytes name, owner;
	uint64_t legs, id, rooms;
	int64_t weight, born_ns;
	double share;
};

static const struct animal animals[] = {
	{.kind = "cat",
	 .tame = "true",
	 .name = BYTES("=a\"b,\n\x1b"),
	 .owner = BYTES("\xff\xc3\xa9"),
	 .legs = UINT64_MAX,
	 .id = 0xab,
	 .rooms = 3,
	 .weight = -5,
	 .born_ns = -1,
	 .share = 0.1234565},
	{.name = BYTES(""),
	 .owner = {NULL, 0},
	 .weight = NO_NUMBER,
	 .born_ns = NO_NUMBER,
	 .share = NAN},
};

static void write_animal(FILE *out, const struct record_style *style, const struct animal *animal)
{
	const char *const foods[] = {"<fish>&\n", "\xff"};
	const struct field den[] = {FIELD_UNSIGNED(IN_JSON | IN_PAGE, "rooms", animal->rooms),
				    FIELDS_END};
	const struct field fields[] = {
		FIELD_TEXT(IN_CSV, "name", animal->name),
		FIELD_WORD(IN_LISTS, "kind", animal->kind),
		FIELD_PLAIN(IN_JSON, "tame", animal->tame),
		FIELD_UNSIGNED(IN_LISTS, "legs", animal->legs),
		FIELD_ID(IN_LISTS, "id", animal->id),
		FIELD_SIGNED(IN_LISTS | OR_ZERO, "weight", animal->weight),
		FIELD_TIME(IN_JSON | OR_NULL, "born", animal->born_ns),
		FIELD_SHARE(IN_LISTS, "share", animal->share),
		FIELD_OBJECT(IN_JSON | IN_PAGE, "den", den),
		FIELD_TEXTS(IN_PAGE, "foods", foods, animal->kind == NULL ? 0 : 2),
		FIELD_NUMBERS(IN_PAGE, "numbers", &animal->legs, 1),
		FIELD_TEXT(IN_PAGE, "name", animal->name),
		FIELD_HEX(IN_PAGE, "owner", animal->owner),
		FIELD_TEXT(IN_JSON | IN_NULL, "name", animal->name),
		FIELD_TEXT(IN_ALL | OR_NULL, "owner_name", animal->owner),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void heading(FILE *out)
{
	write_animal(out, &(struct record_style){RECORD_HEADING, false}, &animals[1]);
}

/* This number of animals produces this text, which may contain zero bytes. */
static void expect(struct record_style style, uint64_t count, const char *expected,
		   size_t expected_size)
{
	const struct frame frame = record_frame(style.format, heading);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	frame_begin(out, &frame);
	for (uint64_t i = 0; i < count; i++) {
		frame_next(out, &frame, i);
		write_animal(out, &style, &animals[i]);
	}
	frame_end(out, &frame, count);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	assert_int_equal(size, expected_size);
	assert_memory_equal(text, expected, size);
	free(text);
}

#define EXPECT(format, is_terminal, count, text) \
	expect((struct record_style){format, is_terminal}, count, text, sizeof(text) - 1)

#define HEADING "name,kind,legs,id,weight,share,owner_name\r\n"

static void csv_has_a_column_for_each_field(void **state)
{
	(void)state;
	EXPECT(RECORD_CSV, false, 0, HEADING);
	EXPECT(RECORD_CSV, false, 2,
	       HEADING "\"'=a\"\"b,\n\x1b\",cat,18446744073709551615,00000000000000ab,"
		       "-5,0.123456,\xff\xc3\xa9\r\n"
		       ",,0,0000000000000000,0,,\r\n");
	EXPECT(RECORD_CSV, true, 1,
	       HEADING "\"'=a\"\"b,\\n\\x1b\",cat,18446744073709551615,00000000000000ab,"
		       "-5,0.123456,\\xff\xc3\xa9\r\n");
}

#define CAT                                                                       \
	"{\"kind\":\"cat\",\"tame\":true,\"legs\":18446744073709551615,"          \
	"\"id\":\"00000000000000ab\",\"weight\":-5,"                              \
	"\"born\":\"1969-12-31T23:59:59Z\",\"share\":0.123456,\"den\":{"          \
	"\"rooms\":3},"                                                           \
	"\"name\":\"=a\\\"b,\\u000a\\u001b\",\"owner_name\":\"\\ufffd\xc3\xa9\"," \
	"\"owner_name_hex\":\"ffc3a9\"}"
#define NOBODY                                                                         \
	"{\"legs\":0,\"id\":\"0000000000000000\",\"born\":null,\"den\":{\"rooms\":0}," \
	"\"name\":\"\",\"owner_name\":null}"

static void json_leaves_out_what_is_absent(void **state)
{
	(void)state;
	EXPECT(RECORD_JSON, false, 0, "[]\n");
	EXPECT(RECORD_JSON, true, 2, "[\n" CAT ",\n" NOBODY "\n]\n");
	EXPECT(RECORD_LINES, false, 0, "");
	EXPECT(RECORD_LINES, false, 2, CAT "\n" NOBODY "\n");
}

static void zero_bytes_end_texts(void **state)
{
	(void)state;
	EXPECT(RECORD_NULL, false, 2, "=a\"b,\n\x1b\0\xff\xc3\xa9\0\0\0");
	EXPECT(RECORD_NULL, true, 2, "=a\"b,\\n\\x1b\n\\xff\xc3\xa9\n\n\n");
}

static void a_page_has_objects_and_rows_that_nothing_in_them_ends(void **state)
{
	(void)state;
	EXPECT(RECORD_PAGE, false, 1,
	       "{\"den\":{\"rooms\":3},\"foods\":[\"\\u003cfish\\u003e\\u0026\\\\n\","
	       "\"\\\\xff\"],\"numbers\":[18446744073709551615],"
	       "\"name\":\"=a\\\"b,\\\\n\\\\x1b\",\"owner\":\"ffc3a9\"}");
	EXPECT(RECORD_ROW, false, 2,
	       "[{\"rooms\":3},[\"\\u003cfish\\u003e\\u0026\\\\n\",\"\\\\xff\"],"
	       "[18446744073709551615],\"=a\\\"b,\\\\n\\\\x1b\",\"ffc3a9\"]"
	       "[{\"rooms\":0},[],[0],\"\"]");
}

static void no_text_ends_the_element_it_is_in(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct line_buffer line = {.out = out};

	(void)state;
	line_put_page_string(&line, bytes_of("</script><!-- \"\\&\n\t\x7f"), false);
	line_flush(&line);
	fclose(out);
	assert_string_equal(text,
			    "\"\\u003c/script\\u003e\\u003c!-- \\\"\\\\\\u0026\\n\\u0009\\u007f\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_column_for_each_field),
		cmocka_unit_test(json_leaves_out_what_is_absent),
		cmocka_unit_test(zero_bytes_end_texts),
		cmocka_unit_test(a_page_has_objects_and_rows_that_nothing_in_them_ends),
		cmocka_unit_test(no_text_ends_the_element_it_is_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
