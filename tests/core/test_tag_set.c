/*
 * Tests which texts are accepted as tag sets, and that messages name every malformed line.
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

#include "simhash.h"

#define FIFTEEN                                                                          \
	"00 1.28 6.00\n74 1.24 4.03\n65 1.20 3.29\na4 1.16 2.68\nd3 1.12 0\n27 1.08 0\n" \
	"3f 1.04 0\nc0 1.00 0\n49 1.00 0\ned 0.96 0\n3c 0.92 0\n18 0.88 0\n05 0.84 0\n"  \
	"db 0.80 0\n76 0.76 0\n"

static struct simhash_error error;

static struct simhash_tag_set *parse(const char *text, const char *file_name)
{
	struct simhash_tag_set *set;

	if (simhash_tag_set_parse(text, strlen(text), file_name, &set, &error) != 0) {
		assert_null(set);
		return NULL;
	}
	return set;
}

static void the_sample_written_out_is_the_sample(void **state)
{
	struct simhash_tag_set *built_in, *parsed;

	(void)state;
	assert_int_equal(simhash_tag_set_new_default(&built_in, &error), 0);
	parsed = parse("# the authors' set\n\n name sample # its name\n" FIFTEEN "EF\t.72 0", "x");
	assert_non_null(parsed);
	assert_string_equal(simhash_tag_set_name(parsed), "sample");
	assert_memory_equal(simhash_tag_set_tags(parsed), simhash_tag_set_tags(built_in),
			    SIMHASH_TAGS * sizeof(struct simhash_tag));
	simhash_tag_set_free(parsed);
	simhash_tag_set_free(built_in);
}

static void a_set_without_a_name_is_called_after_its_file(void **state)
{
	struct simhash_tag_set *set = parse(FIFTEEN "ef 0.72 0\r\n", "/etc/tags/my-set.v2.txt");

	(void)state;
	assert_non_null(set);
	assert_string_equal(simhash_tag_set_name(set), "my-set.v2");
	simhash_tag_set_free(set);
	assert_null(parse(FIFTEEN "ef 0.72 0\n", "bad name.txt"));
	assert_non_null(strstr(error.message, "bad name.txt: expected a line \"name NAME\""));
}

static void every_malformed_line_is_named(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"00 1 1\n7g 1 1\n", "t:2:1: expected a tag of two hexadecimal digits, found '7g'"},
		{"000 1 1\n", "t:1:1: expected a tag of two hexadecimal digits, found '000'"},
		{"00 1\n",
		 "t:1:4: expected a tag, its Scatter weight and its Skew weight, found '1'"},
		{"\n\n00 1 1 1\n", "t:3:8: expected a tag, its Scatter weight and its Skew weight"},
		{"00 x 1\n", "t:1:4: expected a weight such as 1.28, found 'x'"},
		{"00 -1 1\n", "t:1:4: expected a weight such as 1.28, found '-1'"},
		{"00 1 1.2345\n", "t:1:6: expected a weight with at most three decimal places"},
		{"00 1 1000.001\n", "t:1:6: expected a weight of at most 1000, found '1000.001'"},
		{"00 1 1\n01 1 1\n00 1 1\n", "t:3:1: expected a tag that occurs once, found '00'"},
		{"name\n", "t:1:1: expected \"name NAME\""},
		{"name a b\n", "t:1:8: expected \"name NAME\", found 'b'"},
		{"name a/b\n", "t:1:6: expected a name of 1 to 64 letters"},
		{"name a\nname b\n", "t:2:6: expected one name only, found 'b'"},
		{FIFTEEN "ef 0 0\nff 0 0\n", "t:17:1: expected no more than 16 tags, found 'ff'"},
		{FIFTEEN, "t:15: expected 16 tags, found 15"},
		{"", "t:0: expected 16 tags, found 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(parse(cases[i].text, "t"));
		if (strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("case %zu: %s", i, error.message);
		assert_int_equal(error.code, SIMHASH_E_SYNTAX);
	}
}

static void a_zero_byte_is_named(void **state)
{
	struct simhash_tag_set *set;

	(void)state;
	assert_int_equal(simhash_tag_set_parse("00 1 1\n\0", 8, "t", &set, &error), -1);
	assert_string_equal(error.message, "t:2:1: expected text, found a zero byte");
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct simhash_tag_set *set;

	(void)state;
	assert_int_equal(simhash_tag_set_read("/no/such/file", &set, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_SYSTEM);
	assert_string_equal(error.message, "cannot read /no/such/file: No such file or directory");
	assert_int_equal(simhash_tag_set_read("/", &set, &error), -1);
}

static void a_set_made_in_code_is_checked(void **state)
{
	struct simhash_tag tags[SIMHASH_TAGS];
	struct simhash_tag_set *set;

	(void)state;
	for (int i = 0; i < SIMHASH_TAGS; i++)
		tags[i] = (struct simhash_tag){(uint8_t)i, 1000, 1000, 1000};
	assert_int_equal(simhash_tag_set_new("ok", tags, &set, &error), 0);
	simhash_tag_set_free(set);
	assert_int_equal(simhash_tag_set_new("", tags, &set, &error), -1);
	assert_int_equal(simhash_tag_set_new("a b", tags, &set, &error), -1);
	tags[9].skew = SIMHASH_WEIGHT_MAX + 1;
	assert_int_equal(simhash_tag_set_new("ok", tags, &set, &error), -1);
	tags[9] = tags[3];
	assert_int_equal(simhash_tag_set_new("ok", tags, &set, &error), -1);
	assert_non_null(strstr(error.message, "tag 03 occurs twice"));
	simhash_tag_set_free(NULL);
}

static void a_message_with_a_long_path_gives_the_reason(void **state)
{
	char *path = malloc(6001);
	struct simhash_tag_set *set;

	(void)state;
	memset(path, 'x', 6000);
	path[6000] = '\0';
	assert_int_equal(simhash_tag_set_read(path, &set, &error), -1);
	assert_int_equal(strlen(error.message), sizeof error.message - 1);
	assert_non_null(strstr(error.message, "xxx..."));
	assert_non_null(strstr(error.message, "xxx: File name too long"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_written_out_is_the_sample),
		cmocka_unit_test(a_set_without_a_name_is_called_after_its_file),
		cmocka_unit_test(every_malformed_line_is_named),
		cmocka_unit_test(a_zero_byte_is_named),
		cmocka_unit_test(a_file_that_cannot_be_read_is_named),
		cmocka_unit_test(a_set_made_in_code_is_checked),
		cmocka_unit_test(a_message_with_a_long_path_gives_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
