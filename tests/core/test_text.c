/*
 * Compares the sketches of texts with the reference: every short length and every cut, white space
 * of every density, UTF-16, and the rule that recognizes texts.
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

#include "core/resemblance.h"
#include "data.h"
#include "guarded.h"
#include "reference_resemblance.h"
#include "simhash_resemblance.h"

#define BIG 300000 /* so that the normal form has many blocks */

static struct simhash_error error;
static struct simhash_resemblance_scanner *scanner;

/* ---- Data ---- */

/* The share of white bytes, of 256, and whether they come in runs. */
static const struct density {
	unsigned white;
	bool in_runs;
} densities[] = {{0, false},  {4, false},  {40, false}, {40, true},  {128, false},
		 {128, true}, {200, true}, {252, true}, {256, false}};

#define DENSITIES (sizeof densities / sizeof *densities)

static void fill_text(const struct density *density, uint8_t *bytes, size_t size)
{
	unsigned run = 0;

	data_seed(density->white + 1u);
	for (size_t i = 0; i < size; i++) {
		bool is_white = data_random_byte() < density->white;
		if (density->in_runs && run == 0)
			run = 1 + data_random_byte() % 32;
		if (density->in_runs)
			is_white = run-- > 16 ? density->white > 64 : is_white;
		bytes[i] = is_white ? (uint8_t) "\t\n\v\f\r     \n\n"[data_random_byte() % 12]
				    : (uint8_t)(33 + data_random_byte() % 223);
		if (bytes[i] == 127)
			bytes[i] = 27;
	}
}

enum form { LF, CRLF, CR, TABS, TRAILING, INDENTED, LINES, MARK, UTF16_LE, UTF16_BE, FORMS };

static size_t put_unit(enum form form, unsigned unit, uint8_t *out)
{
	out[form == UTF16_LE ? 0 : 1] = (uint8_t)unit;
	out[form == UTF16_LE ? 1 : 0] = (uint8_t)(unit >> 8);
	return 2;
}

/* A text with white space in another form. `out` has room for 8 times its size. */
static size_t put_form(enum form form, const char *text, uint8_t *out)
{
	size_t n = 0;

	if (form == MARK)
		n = (size_t)sprintf((char *)out, "\xEF\xBB\xBF");
	if (form >= UTF16_LE)
		n = put_unit(form, 0xFEFF, out);
	for (; *text != '\0'; text++) {
		const char *as = NULL;
		if (form >= UTF16_LE) {
			n += put_unit(form, (unsigned char)*text, out + n);
			continue;
		}
		if (*text == '\n')
			as = form == CRLF	? "\r\n"
			     : form == CR	? "\r"
			     : form == TRAILING ? "  \t\n"
			     : form == INDENTED ? "\n\n        "
						: "\n";
		else if (*text == ' ')
			as = form == TABS ? "\t" : form == LINES ? "\n" : " ";
		if (as == NULL)
			out[n++] = (uint8_t)*text;
		else
			n += (size_t)sprintf((char *)out + n, "%s", as);
	}
	return n;
}

static void fill_prose(char *text, size_t size)
{
	data_seed(9);
	for (size_t i = 0; i < size; i++)
		text[i] = i > 0 && text[i - 1] > ' ' && data_random_byte() < 40
				  ? " \n"[data_random_byte() % 4 == 0]
				  : (char)('a' + data_random_byte() % 26);
	text[size - 1] = '.';
	text[size] = '\0';
}

/* ---- Expectations ---- */

static void expect_equal(const struct simhash_resemblance_sketch *sketch,
			 const uint8_t expected[144], const char *what, size_t number)
{
	const uint8_t *bytes = (const uint8_t *)sketch;

	_Static_assert(sizeof *sketch == 144, "registers, size and hash");
	for (int i = 0; i < 144; i++)
		if (bytes[i] != expected[i])
			fail_msg("%s %zu: byte %d of the sketch is %d, reference %d", what, number,
				 i, bytes[i], expected[i]);
}

static void expect_as_reference(const uint8_t *bytes, size_t size, const char *what, size_t number)
{
	struct simhash_resemblance_sketch sketch;
	uint8_t expected[144];

	reference_sketch(bytes, size, expected);
	simhash_resemblance_sketch_compute(bytes, size, &sketch);
	expect_equal(&sketch, expected, what, number);
}

static uint64_t text_size(const struct simhash_resemblance_sketch *sketch)
{
	uint64_t size = 0;

	for (int i = 0; i < 8; i++)
		size = 256 * size + sketch->text[i];
	return size;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
	struct simhash_resemblance_sketch sketch;

	simhash_resemblance_sketch_compute(bytes, size, &sketch);
	return text_size(&sketch) > 0;
}

/* The memory has exactly this size, so that reading one more byte is noticed. */
static void update(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + (size == 0));

	memcpy(copy, bytes, size);
	simhash_resemblance_scanner_update(scanner, copy, size);
	free(copy);
}

static void expect_of_cuts(const uint8_t *bytes, size_t size, size_t first, size_t second,
			   const uint8_t expected[144], const char *what)
{
	struct simhash_resemblance_sketch sketch;

	simhash_resemblance_scanner_begin(scanner);
	update(bytes, first);
	update(bytes + first, second - first);
	update(bytes + second, size - second);
	simhash_resemblance_scanner_finish(scanner, &sketch);
	expect_equal(&sketch, expected, what, first * 1000 + second);
}

static void expect_of_random_cuts(const uint8_t *bytes, size_t size, size_t limit)
{
	struct simhash_resemblance_sketch sketch;
	uint8_t expected[144];

	reference_sketch(bytes, size, expected);
	simhash_resemblance_scanner_begin(scanner);
	for (size_t i = 0, part; i < size; i += part) {
		part = (data_random_byte() * 256u + data_random_byte()) * limit / 65536;
		part = part < size - i ? part : size - i;
		update(bytes + i, part);
	}
	simhash_resemblance_scanner_finish(scanner, &sketch);
	expect_equal(&sketch, expected, "cuts, size", size);
}

/* ---- The normal form ---- */

static void texts_equal_reference_on_every_length(void **state)
{
	struct guarded g = guarded_new(1500);

	(void)state;
	for (size_t d = 0; d < DENSITIES; d++)
		for (size_t size = 0; size <= 500; size++) {
			uint8_t *at_end = g.middle + g.room - size;
			fill_text(&densities[d], at_end, size);
			expect_as_reference(at_end, size, "size", size);
			memmove(g.middle, at_end, size);
			expect_as_reference(g.middle, size, "size", size);
		}
	guarded_free(g);
}

static void texts_of_many_blocks_equal_reference(void **state)
{
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (size_t d = 0; d < DENSITIES; d++) {
		fill_text(&densities[d], bytes, BIG);
		for (size_t size = 4090; size <= 4100; size++)
			expect_as_reference(bytes, size, "size", size);
		for (size_t size = 1000; size <= BIG; size += size / 3 + 1)
			expect_as_reference(bytes + size % 64 % (BIG - size + 1), size, "size",
					    size);
	}
	free(bytes);
}

/* The level of the normal form is known one byte later than that of other contents. */
static void a_last_blank_does_not_change_the_level(void **state)
{
	uint8_t *bytes = malloc(70000);

	(void)state;
	fill_text(&densities[0], bytes, 70000);
	for (size_t size = 65540; size <= 65560; size++) {
		uint8_t before = bytes[size];
		for (size_t blanks = 0; blanks <= 2; blanks++) {
			memset(bytes + size, ' ', blanks);
			expect_as_reference(bytes, size + blanks, "size", size);
			expect_of_random_cuts(bytes, size + blanks, 40000);
		}
		bytes[size] = before;
	}
	free(bytes);
}

static void every_cut_gives_the_same_sketch(void **state)
{
	char text[100];
	uint8_t bytes[800], expected[144];

	(void)state;
	fill_prose(text, sizeof text - 1);
	for (enum form form = LF; form < FORMS; form++) {
		size_t size = put_form(form, text, bytes);
		reference_sketch(bytes, size, expected);
		for (size_t first = 0; first <= size; first++)
			for (size_t second = first; second <= size; second++)
				expect_of_cuts(bytes, size, first, second, expected, "cuts");
	}
}

static void any_cut_of_a_large_text_gives_the_same_sketch(void **state)
{
	static const size_t limits[] = {3, 100, 5000, 70000, 200000};
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (size_t d = 0; d < DENSITIES; d++) {
		fill_text(&densities[d], bytes, BIG);
		for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
			expect_of_random_cuts(bytes, l == 0 ? 9000 : BIG, limits[l]);
	}
	/* Binary bytes that come later do not change the decision. */
	fill_text(&densities[3], bytes, BIG);
	for (size_t i = 5000; i < BIG; i++)
		bytes[i] = data_random_byte();
	assert_true(is_text(bytes, BIG));
	for (size_t l = 1; l < sizeof limits / sizeof *limits; l++)
		expect_of_random_cuts(bytes, BIG, limits[l]);
	free(bytes);
}

static void a_scan_of_a_text_may_go_on_after_finish(void **state)
{
	uint8_t *bytes = malloc(BIG), expected[144];
	struct simhash_resemblance_sketch sketch;

	(void)state;
	fill_text(&densities[3], bytes, BIG);
	simhash_resemblance_scanner_begin(scanner);
	for (size_t size = 0; size < BIG; size += 1999) {
		reference_sketch(bytes, size, expected);
		simhash_resemblance_scanner_finish(scanner, &sketch);
		expect_equal(&sketch, expected, "size", size);
		update(bytes + size, BIG - size < 1999 ? BIG - size : 1999);
	}
	free(bytes);
}

/* ---- UTF-16 ---- */

/* Units that are often surrogates, in pairs or alone, and often white space. */
static void fill_units(enum form form, uint8_t *bytes, size_t units, bool has_halves)
{
	put_unit(form, 0xFEFF, bytes);
	for (size_t i = 1; i < units; i++) {
		unsigned byte = data_random_byte(), unit = 0x20 + byte % 64;
		if (byte >= 240 && has_halves && i > 2048)
			unit = 0xD800 + byte % 2 * 0x400 + data_random_byte();
		else if (byte >= 200 && i + 1 < units)
			put_unit(form, 0xD800 + byte % 64, bytes + 2 * i++), unit = 0xDC00 + byte;
		else if (byte >= 160)
			unit = 0x400 + 64 * (byte % 30);
		else if (byte >= 140)
			unit = byte % 2 ? '\r' : '\n';
		put_unit(form, unit, bytes + 2 * i);
	}
}

static void utf16_equals_reference(void **state)
{
	uint8_t *bytes = malloc(BIG + 2);

	(void)state;
	data_seed(33);
	for (enum form form = UTF16_LE; form <= UTF16_BE; form++) {
		for (size_t size = 2; size <= 300; size++) {
			fill_units(form, bytes, size / 2 + 1, false);
			expect_as_reference(bytes, size, "size", size);
		}
		for (size_t size = 4090; size <= 4102; size++) {
			fill_units(form, bytes, size / 2 + 1, false);
			expect_as_reference(bytes, size, "size", size);
			expect_of_random_cuts(bytes, size, 100);
		}
		for (size_t size = 100000; size <= BIG; size = 2 * size - 7) {
			fill_units(form, bytes, size / 2 + 1, true);
			assert_true(is_text(bytes, size));
			expect_as_reference(bytes, size, "size", size);
			expect_of_random_cuts(bytes, size, 5);
			expect_of_random_cuts(bytes, size, 3000);
		}
	}
	free(bytes);
}

static void half_a_pair_in_the_head_is_not_text(void **state)
{
	static const unsigned units[] = {0xFEFF, 'a', 0xD801, 'b', 0xDC01, 'c'};
	uint8_t bytes[80];

	(void)state;
	for (enum form form = UTF16_LE; form <= UTF16_BE; form++)
		for (size_t left_out = 2; left_out <= 4; left_out++) {
			size_t size = 0;
			for (size_t i = 0; i < sizeof units / sizeof *units; i++)
				if (i != left_out)
					size += put_unit(form, units[i], bytes + size);
			for (int i = 0; i < 20; i++)
				size += put_unit(form, 'x', bytes + size);
			/* Without 'b', the two halves are a pair. */
			assert_int_equal(is_text(bytes, size), left_out == 3);
			expect_as_reference(bytes, size, "left out", left_out);
		}
}

/* ---- Texts and other contents ---- */

static void bytes_of_the_head_decide(void **state)
{
	static uint8_t bytes[5000];

	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		bool is_allowed = c >= 32 ? c != 127 : c == 27 || (c >= 8 && c <= 13);
		fill_text(&densities[2], bytes, sizeof bytes);
		assert_true(is_text(bytes, sizeof bytes));
		/* 81 of 4,096 bytes may be control characters, and only in the head. */
		for (size_t at = 0; at < 81; at++)
			bytes[at == 80 ? 4095 : at * 50] = (uint8_t)c;
		assert_true(is_text(bytes, sizeof bytes));
		expect_as_reference(bytes, sizeof bytes, "few", c);
		bytes[7] = (uint8_t)c;
		assert_int_equal(is_text(bytes, sizeof bytes), is_allowed);
		expect_as_reference(bytes, sizeof bytes, "many", c);
		fill_text(&densities[2], bytes, sizeof bytes);
		bytes[4096] = (uint8_t)c;
		assert_true(is_text(bytes, sizeof bytes));
		expect_as_reference(bytes, sizeof bytes, "byte", c);
	}
}

/* Where the zeros of a content begin and end; the last number is its size. */
static const size_t holes[][5] = {
	{100, 290000, 0, 0, 300000}, /* decided by the head, and the level known, only in zeros */
	{4096, 4096, 4097, 300000, 300000}, /* zeros to the end */
	{70000, 140000, 150000, 299999, 300000},
	{65551, 200000, 200015, 280000, 290001},
	{69632, 90112, 90113, 200001, 200020},
	{100000, 100015, 120000, 120016, 300000},
};

/* A text, any bytes, or text in UTF-16, with zeros in it. Only the zeros are added as such. */
static void zeros_of_holes_give_the_same_sketch(void **state)
{
	uint8_t *bytes = malloc(BIG), *zeros = calloc(1, BIG), expected[144];
	struct simhash_resemblance_sketch sketch;

	(void)state;
	for (size_t h = 0; h < 3 * sizeof holes / sizeof *holes; h++) {
		const size_t *hole = holes[h / 3], size = hole[4];
		fill_text(&densities[h % DENSITIES], bytes, size);
		if (h % 3 == 1)
			data_fill(DATA_RANDOM, bytes, size);
		if (h % 3 == 2)
			fill_units(UTF16_LE, bytes, size / 2, false);
		memset(bytes + hole[0], 0, hole[1] - hole[0]);
		memset(bytes + hole[2], 0, hole[3] - hole[2]);
		reference_sketch(bytes, size, expected);
		simhash_resemblance_scanner_begin(scanner);
		for (size_t i = 0, some; i < size; i += some) {
			bool is_second = i >= hole[1], is_zero;
			const size_t *next = is_second ? hole + 2 : hole;
			is_zero = i >= next[0] && i < next[1];
			some = is_zero ? next[1] - i : i < next[0] ? next[0] - i : size - i;
			some = some > 50000 ? 50000 : some;
			if (is_zero)
				resemblance_scanner_add_zeros(scanner, zeros, some);
			else
				update(bytes + i, some);
		}
		simhash_resemblance_scanner_finish(scanner, &sketch);
		expect_equal(&sketch, expected, "holes", h);
	}
	free(bytes);
	free(zeros);
}

static void a_pdf_is_not_a_text(void **state)
{
	const char pdf[] = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n";
	const char marked[] = "\xEF\xBB\xBF%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n";

	(void)state;
	assert_false(is_text((const uint8_t *)pdf, strlen(pdf)));
	assert_false(is_text((const uint8_t *)marked, strlen(marked)));
	assert_true(is_text((const uint8_t *)pdf + 1, strlen(pdf) - 1));
}

/* ---- The same text ---- */

static void every_form_of_a_text_is_the_same_text(void **state)
{
	struct simhash_resemblance_sketch sketches[FORMS], other;
	char *text = malloc(30001);
	uint8_t *bytes = malloc(8 * 30001);

	(void)state;
	for (size_t size = 16; size <= 30000; size = 3 * size + 1) {
		size_t sizes[FORMS];
		double estimate = 0;
		fill_prose(text, size);
		for (enum form form = LF; form < FORMS; form++) {
			sizes[form] = put_form(form, text, bytes);
			simhash_resemblance_sketch_compute(bytes, sizes[form], &sketches[form]);
			assert_int_equal(text_size(&sketches[form]), size);
			assert_true(simhash_resemblance_same_text(&sketches[0], &sketches[form]));
			assert_true(simhash_resemblance_estimate(&sketches[0], (int64_t)sizes[0],
								 &sketches[form],
								 (int64_t)sizes[form], &estimate));
			assert_true(estimate == 1);
			assert_true(simhash_containment_estimate(&sketches[0], (int64_t)sizes[0],
								 &sketches[form],
								 (int64_t)sizes[form], &estimate));
			assert_true(estimate == 1);
		}
		/* One other byte is another text, and one blank less. */
		text[size / 2] = '!';
		simhash_resemblance_sketch_compute(text, size, &other);
		assert_false(simhash_resemblance_same_text(&sketches[0], &other));
		simhash_resemblance_sketch_compute(text, size - 1, &other);
		assert_false(simhash_resemblance_same_text(&sketches[0], &other));
	}
	free(text);
	free(bytes);
}

/* The normal form of an indented copy is smaller, and it limits the estimate instead of the size. */
static void sizes_of_normal_forms_limit_the_estimate(void **state)
{
	struct simhash_resemblance_sketch a, b;
	char *text = malloc(20001);
	uint8_t *indented = malloc(8 * 20001);
	double estimate = 0;
	size_t size;

	(void)state;
	fill_prose(text, 20000);
	simhash_resemblance_sketch_compute(text, 20000, &a);
	memcpy(text, "Another beginning", 17);
	size = put_form(INDENTED, text, indented);
	assert_true(size > 25000);
	simhash_resemblance_sketch_compute(indented, size, &b);
	assert_true(simhash_resemblance_estimate(&a, 20000, &b, (int64_t)size, &estimate));
	assert_true(estimate > 0.9 && !simhash_resemblance_same_text(&a, &b));
	free(text);
	free(indented);
}

static void texts_without_a_shingle_are_not_the_same(void **state)
{
	struct simhash_resemblance_sketch a, b;

	(void)state;
	simhash_resemblance_sketch_compute("fifteen bytes.\n\n.", 17, &a);
	simhash_resemblance_sketch_compute("fifteen bytes...", 16, &b);
	assert_true(text_size(&a) == 16 && text_size(&b) == 16);
	simhash_resemblance_sketch_compute("fifteen bytes\n\n\n.", 17, &a);
	assert_true(text_size(&a) == 0);
	assert_false(simhash_resemblance_same_text(&a, &a));
	simhash_resemblance_sketch_compute("                          ", 26, &a);
	assert_true(text_size(&a) == 0);
	assert_false(simhash_resemblance_same_text(&a, &a));
	simhash_resemblance_sketch_compute("", 0, &a);
	assert_false(simhash_resemblance_same_text(&a, &a));
}

static int set_up(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	if (simhash_resemblance_scanner_new(&scanner, &error) != 0)
		return -1;
	return kernel == NULL ? 0 : simhash_kernel_select(kernel, &error);
}

static int tear_down(void **state)
{
	(void)state;
	simhash_resemblance_scanner_free(scanner);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_equal_reference_on_every_length),
		cmocka_unit_test(texts_of_many_blocks_equal_reference),
		cmocka_unit_test(a_last_blank_does_not_change_the_level),
		cmocka_unit_test(every_cut_gives_the_same_sketch),
		cmocka_unit_test(any_cut_of_a_large_text_gives_the_same_sketch),
		cmocka_unit_test(a_scan_of_a_text_may_go_on_after_finish),
		cmocka_unit_test(utf16_equals_reference),
		cmocka_unit_test(half_a_pair_in_the_head_is_not_text),
		cmocka_unit_test(bytes_of_the_head_decide),
		cmocka_unit_test(zeros_of_holes_give_the_same_sketch),
		cmocka_unit_test(a_pdf_is_not_a_text),
		cmocka_unit_test(every_form_of_a_text_is_the_same_text),
		cmocka_unit_test(sizes_of_normal_forms_limit_the_estimate),
		cmocka_unit_test(texts_without_a_shingle_are_not_the_same),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
