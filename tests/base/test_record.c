/*
 * A table of fields in each format, byte for byte.
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

#include "base/text/record.h"

#define BYTES(text)                   \
	{                             \
		text, sizeof text - 1 \
	}

struct den {
	uint64_t rooms;
	const char *dry;
};

static const struct field den_fields[] = {
	RECORD_FIELD(IN_JSON, struct den, rooms),
	RECORD_FIELD(IN_JSON, struct den, dry),
	FIELDS_END,
};

struct animal {
	const char *kind, *tame;
	struct bytes name, owner;
	uint64_t legs, id;
	uint32_t age;
	int64_t weight, born_ns;
	double share, seconds;
	struct den den;
};

static const struct field fields[] = {
	RECORD_FIELD(IN_CSV, struct animal, name),
	RECORD_FIELD(IN_LISTS, struct animal, kind),
	RECORD_FIELD_AS(FIELD_PLAIN, IN_JSON, struct animal, tame, "tame"),
	RECORD_FIELD(IN_LISTS, struct animal, legs),
	RECORD_FIELD_AS(FIELD_ID, IN_LISTS, struct animal, id, "id"),
	RECORD_FIELD(IN_LISTS, struct animal, age),
	RECORD_FIELD(IN_CSV | IN_JSON | OR_ZERO, struct animal, weight),
	RECORD_FIELD_AS(FIELD_TIME, IN_JSON | OR_NULL, struct animal, born_ns, "born"),
	RECORD_FIELD(IN_LISTS, struct animal, share),
	RECORD_FIELD_AS(FIELD_SECONDS, IN_JSON, struct animal, seconds, "seconds"),
	RECORD_OBJECT(struct animal, den, "den", den_fields),
	RECORD_FIELD(IN_JSON | IN_NULL, struct animal, name),
	RECORD_FIELD_NAMED(IN_ALL | OR_NULL, struct animal, owner, "owner_name"),
	FIELDS_END,
};

static const struct animal animals[] = {
	{.kind = "cat",
	 .tame = "true",
	 .name = BYTES("=a\"b,\n\x1b"),
	 .owner = BYTES("\xff\xc3\xa9"),
	 .legs = UINT64_MAX,
	 .id = 0xab,
	 .age = UINT32_MAX,
	 .weight = -5,
	 .born_ns = -1,
	 .share = 0.1234565,
	 .seconds = 2.5,
	 .den = {3, "no"}},
	{.name = BYTES(""),
	 .owner = {NULL, 0},
	 .weight = NO_NUMBER,
	 .born_ns = NO_NUMBER,
	 .share = NAN,
	 .seconds = NAN},
};

/* So many of the animals make this text, which may have zero bytes. */
static void expect(struct record_style style, uint64_t count, const char *expected,
		   size_t expected_size)
{
	const struct frame frame = record_frame(style.format, fields);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	frame_begin(out, &frame);
	for (uint64_t i = 0; i < count; i++) {
		frame_next(out, &frame, i);
		record_write(out, &style, fields, &animals[i]);
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

#define HEADING "name,kind,legs,id,age,weight,share,owner_name\r\n"

static void csv_has_a_column_for_each_field(void **state)
{
	(void)state;
	EXPECT(RECORD_CSV, false, 0, HEADING);
	EXPECT(RECORD_CSV, false, 2,
	       HEADING "\"'=a\"\"b,\n\x1b\",cat,18446744073709551615,00000000000000ab,"
		       "4294967295,-5,0.123456,\xff\xc3\xa9\r\n"
		       ",,0,0000000000000000,0,0,,\r\n");
	EXPECT(RECORD_CSV, true, 1,
	       HEADING "\"'=a\"\"b,\\n\\x1b\",cat,18446744073709551615,00000000000000ab,"
		       "4294967295,-5,0.123456,\\xff\xc3\xa9\r\n");
}

#define CAT                                                                                \
	"{\"kind\":\"cat\",\"tame\":true,\"legs\":18446744073709551615,"                   \
	"\"id\":\"00000000000000ab\",\"age\":4294967295,\"weight\":-5,"                    \
	"\"born\":\"1969-12-31T23:59:59Z\",\"share\":0.123456,\"seconds\":2.500,\"den\":{" \
	"\"rooms\":3,\"dry\":\"no\"},"                                                     \
	"\"name\":\"=a\\\"b,\\u000a\\u001b\",\"owner_name\":\"\\ufffd\xc3\xa9\","          \
	"\"owner_name_hex\":\"ffc3a9\"}"
#define NOBODY                                                                                   \
	"{\"legs\":0,\"id\":\"0000000000000000\",\"age\":0,\"born\":null,\"den\":{\"rooms\":0}," \
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_column_for_each_field),
		cmocka_unit_test(json_leaves_out_what_is_absent),
		cmocka_unit_test(zero_bytes_end_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
