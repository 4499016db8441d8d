/*
 * Compares the pieces of contents with the reference: every kernel, kind of data, size, cut and
 * order of parts. Tests their stored form and their comparison.
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
#include "reference_resemblance.h"
#include "simhash.h"

#define BIG 300000

static struct simhash_error error;

/* ---- Data ---- */

enum {
	KIND_SAMPLED = DATA_KINDS, /* every shingle is sampled, which reaches the cap */
	KIND_PERIOD_7,		   /* 7 different shingles */
	KIND_PERIOD_5000,
	KIND_TEXT,
	KINDS
};

static void fill_period(uint8_t *bytes, size_t size, size_t period)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = i < period ? data_random_byte() : bytes[i - period];
}

static void fill(int kind, uint8_t *bytes, size_t size)
{
	if (kind < DATA_KINDS) {
		data_fill((enum data_kind)kind, bytes, size);
		return;
	}
	data_seed((uint64_t)kind);
	if (kind == KIND_SAMPLED)
		reference_fill_sampled(bytes, size);
	else if (kind == KIND_PERIOD_7)
		fill_period(bytes, size, 7);
	else if (kind == KIND_PERIOD_5000)
		fill_period(bytes, size, 5000);
	else
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t) "etaoin shrdlu\n\t  "[data_random_byte() % 17];
}

/* ---- Collecting ---- */

static const struct piece_levels all_levels[] = {
	{8, 12, false}, {0, 0, false}, {3, 47, false}, {10, 7, false}, {7, 16, false}};
#define LEVELS (sizeof all_levels / sizeof *all_levels)

static void expect_pieces(struct piece_collector *collector, const uint64_t *expected, size_t count,
			  unsigned level, int kind, size_t size)
{
	struct content_pieces pieces;

	assert_true(piece_collector_finish(collector, &pieces));
	/* Without a piece the level means nothing. */
	if (pieces.count != count || (count > 0 && pieces.level != level))
		fail_msg("kind %d, size %zu: %zu pieces at level %u, reference %zu at %u", kind,
			 size, pieces.count, pieces.level, count, level);
	for (size_t i = 0; i < count; i++)
		if (pieces.values[i] != expected[i])
			fail_msg("kind %d, size %zu: piece %zu of %zu differs", kind, size, i,
				 count);
}

static struct simhash_resemblance_scanner *scanner_new(struct piece_collector *collector,
						       struct piece_levels levels)
{
	struct simhash_resemblance_scanner *scanner;

	assert_int_equal(simhash_resemblance_scanner_new(&scanner, &error), 0);
	resemblance_scanner_collect(scanner, collector, levels);
	return scanner;
}

static void expect_same_as_reference(const uint8_t *bytes, size_t size, int kind,
				     struct piece_levels levels)
{
	struct piece_collector collector = {.count = 0};
	struct simhash_resemblance_scanner *scanner = scanner_new(&collector, levels);
	struct simhash_resemblance_sketch sketch;
	unsigned level;
	size_t count;
	uint64_t *expected =
		reference_pieces(bytes, size, levels.text, levels.other, &count, &level);

	resemblance_scanner_compute(scanner, bytes, size, &sketch);
	expect_pieces(&collector, expected, count, level, kind, size);
	simhash_resemblance_scanner_free(scanner);
	piece_collector_release(&collector);
	free(expected);
}

static void pieces_equal_reference(void **state)
{
	static const size_t sizes[] = {0,    15,   16,	 700,  2062,  2063,  2100,
				       4095, 4096, 5003, 9000, 40000, 65551, BIG};
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		fill(kind, bytes, BIG);
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			for (size_t l = 0; l < LEVELS; l++)
				expect_same_as_reference(bytes, sizes[i], kind, all_levels[l]);
	}
	free(bytes);
}

/* 64 pieces at the wanted level, and fewer. */
static void the_level_is_lower_for_contents_with_few_pieces(void **state)
{
	struct piece_levels levels = {.text = 8, .other = 12};
	const size_t most = 460000;
	uint8_t *bytes = malloc(most);
	unsigned raised = 0, wanted = 0;

	(void)state;
	data_seed(5);
	for (size_t i = 0; i < most; i++)
		bytes[i] = data_random_byte();
	for (size_t size = 100000; size < most; size += 9000) {
		unsigned level;
		size_t count;
		free(reference_pieces(bytes, size, 8, 12, &count, &level));
		assert_true(count >= 64);
		raised += level < 12;
		wanted += level == 12;
		expect_same_as_reference(bytes, size, 0, levels);
	}
	assert_true(raised > 10 && wanted > 10);
	free(bytes);
}

static void a_content_has_at_most_65536_pieces(void **state)
{
	const size_t size = 18 << 20;
	struct piece_levels levels = {.text = 7, .other = 7};
	uint8_t *bytes = malloc(size);
	unsigned level;
	size_t count;

	(void)state;
	data_seed(6);
	for (size_t i = 0; i < size; i++)
		bytes[i] = data_random_byte();
	free(reference_pieces(bytes, size, 7, 7, &count, &level));
	assert_int_equal(level, 9);
	expect_same_as_reference(bytes, size, 0, levels);
	/* If the content occurs twice, no shingle is new except for a few in the middle. */
	memcpy(bytes + size / 2, bytes, size / 2);
	free(reference_pieces(bytes, size, 7, 7, &count, &level));
	assert_int_equal(level, 8);
	expect_same_as_reference(bytes, size, 1, levels);
	free(bytes);
}

static void scan_in_cuts(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			 size_t size, size_t limit)
{
	simhash_resemblance_scanner_begin(scanner);
	for (size_t i = 0, part; i < size; i += part) {
		part = 1 + (data_random_byte() * 256u + data_random_byte()) * limit / 65536;
		if (part > size - i)
			part = size - i;
		simhash_resemblance_scanner_update(scanner, bytes + i, part);
	}
}

static void any_cut_gives_the_same_pieces(void **state)
{
	static const size_t limits[] = {1, 40, 5000, 70000, 200000};
	struct piece_collector collector = {.count = 0};
	struct simhash_resemblance_sketch sketch;
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t l = 0; l < LEVELS; l++) {
			struct piece_levels levels = all_levels[l];
			struct simhash_resemblance_scanner *scanner =
				scanner_new(&collector, levels);
			fill(kind, bytes, BIG);
			for (size_t size = 10; size <= BIG; size = size * 7 + 1) {
				unsigned level;
				size_t count;
				uint64_t *expected = reference_pieces(bytes, size, levels.text,
								      levels.other, &count, &level);
				for (size_t c = size > 3000 ? 1 : 0; c < 5; c++) {
					scan_in_cuts(scanner, bytes, size, limits[c]);
					simhash_resemblance_scanner_finish(scanner, &sketch);
					expect_pieces(&collector, expected, count, level, kind,
						      size);
				}
				free(expected);
			}
			simhash_resemblance_scanner_free(scanner);
		}
	piece_collector_release(&collector);
	free(bytes);
}

static void a_scan_may_go_on_after_finish(void **state)
{
	struct piece_collector collector = {.count = 0};
	struct simhash_resemblance_scanner *scanner = scanner_new(&collector, all_levels[0]);
	struct simhash_resemblance_sketch sketch;
	uint8_t *bytes = malloc(BIG);

	(void)state;
	fill(DATA_WORDS, bytes, BIG);
	for (size_t size = 0; size < BIG; size += 9973) {
		unsigned level;
		size_t count;
		uint64_t *expected = reference_pieces(bytes, size, 8, 12, &count, &level);
		simhash_resemblance_scanner_finish(scanner, &sketch);
		expect_pieces(&collector, expected, count, level, DATA_WORDS, size);
		free(expected);
		simhash_resemblance_scanner_update(scanner, bytes + size,
						   BIG - size < 9973 ? BIG - size : 9973);
	}
	simhash_resemblance_scanner_free(scanner);
	piece_collector_release(&collector);
	free(bytes);
}

/* As in threads: each has its own collector, and parts come in any order. */
static void parts_in_any_order_give_the_same_pieces(void **state)
{
	struct piece_collector parts[3] = {{.count = 0}}, all = {.count = 0};
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t l = 0; l < LEVELS; l++) {
			const size_t part = 3 * RESEMBLANCE_BLOCK, count = (BIG + part - 1) / part;
			struct resemblance_registers registers[3];
			unsigned wanted = all_levels[l].other, level;
			size_t piece_count;
			uint64_t *expected;
			fill(kind, bytes, BIG);
			memset(bytes, 0, 4096); /* no text */
			expected =
				reference_pieces(bytes, BIG, wanted, wanted, &piece_count, &level);
			for (int p = 0; p < 3; p++) {
				resemblance_begin(&registers[p]);
				piece_collector_begin(&parts[p], wanted);
				registers[p].pieces = &parts[p];
			}
			/* 7 has no common factor with the number of parts, 25. */
			for (size_t i = 0; i < count; i++) {
				size_t at = 7 * i % count * part, size = part + SHINGLE_OVERLAP;
				resemblance_add(&registers[data_random_byte() % 3],
						RESEMBLANCE_LEVEL_MAX, at, bytes + at,
						BIG - at < size ? BIG - at : size);
			}
			piece_collector_begin(&all, wanted);
			for (int p = 2; p >= 0; p--)
				piece_collector_merge(&all, &parts[p]);
			expect_pieces(&all, expected, piece_count, level, kind, BIG);
			free(expected);
		}
	for (int p = 0; p < 3; p++)
		piece_collector_release(&parts[p]);
	piece_collector_release(&all);
	free(bytes);
}

/* ---- The stored form ---- */

/* Random different pieces; few of them, or nearly all values below the bound. */
static struct content_pieces make_pieces(unsigned level, size_t wanted, uint64_t *values)
{
	struct content_pieces pieces = {.level = level, .values = values};
	uint64_t bound = UINT64_C(1) << (48 - level), step = bound / (wanted + 1) + 1, value = 0;

	for (size_t i = 0; i < wanted; i++) {
		uint64_t random = 0;
		for (int k = 0; k < 6; k++)
			random = random * 256 + data_random_byte();
		value += random % (2 * step) + (i > 0);
		if (value >= bound)
			break;
		values[pieces.count++] = value;
	}
	return pieces;
}

static void the_stored_form_gives_the_same_pieces(void **state)
{
	static const size_t counts[] = {0, 1, 2, 16, 1000, 65536};
	uint64_t *values = malloc(PIECES_MAX * sizeof *values);
	uint64_t *loaded = malloc(PIECES_MAX * sizeof *loaded);
	uint8_t *bytes = malloc(PIECES_STORED_MAX(PIECES_MAX));

	(void)state;
	for (unsigned level = 0; level <= 47; level++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
			struct content_pieces pieces = make_pieces(level, counts[c], values), again;
			size_t size = content_pieces_store(&pieces, bytes);
			assert_true(size <= PIECES_STORED_MAX(pieces.count));
			assert_true(content_pieces_load(bytes, size, loaded, &again));
			assert_int_equal(again.level, level);
			assert_int_equal(again.count, pieces.count);
			assert_memory_equal(loaded, values, pieces.count * sizeof *values);
		}
	free(values);
	free(loaded);
	free(bytes);
}

/* Each step reads as far as it is asked to, and the pieces are the first of all. */
static void reading_in_steps_gives_the_same_pieces(void **state)
{
	uint64_t *values = malloc(PIECES_MAX * sizeof *values);
	uint64_t *loaded = malloc(PIECES_MAX * sizeof *loaded);
	uint8_t *bytes = malloc(PIECES_STORED_MAX(PIECES_MAX));

	(void)state;
	data_seed(10);
	for (unsigned round = 0; round < 2000; round++) {
		unsigned level = data_random_byte() % 48;
		struct content_pieces pieces = make_pieces(level, data_random_byte(), values);
		size_t size = content_pieces_store(&pieces, bytes), count = 0;
		enum pieces_state reached = PIECES_LEFT;
		struct pieces_reader reader;
		uint64_t value = 0;
		assert_true(pieces_reader_begin(&reader, bytes, size, loaded));
		assert_true(pieces_reader_most(&reader) >= pieces.count);
		while (reached == PIECES_LEFT) {
			if (data_random_byte() % 2 == 0)
				count += data_random_byte() % 64;
			else if (pieces.count > 0)
				value = values[data_random_byte() % pieces.count] +
					data_random_byte() % 3 - 1;
			if (data_random_byte() % 16 == 0)
				value = UINT64_MAX;
			reached = pieces_reader_next(&reader, count, value);
			assert_int_equal(reader.pieces.level, level);
			assert_true(reader.pieces.count <= pieces.count);
			assert_memory_equal(loaded, values, reader.pieces.count * sizeof *values);
			assert_true(reached == PIECES_END || reader.pieces.count >= count);
			for (size_t i = reader.pieces.count; i < pieces.count; i++)
				assert_true(values[i] > value);
		}
		assert_int_equal(reached, PIECES_END);
		assert_int_equal(reader.pieces.count, pieces.count);
	}
	free(values);
	free(loaded);
	free(bytes);
}

/* Accepted bytes have pieces that follow the rules; others are refused. */
static void damaged_bytes_are_refused_or_give_possible_pieces(void **state)
{
	uint64_t *values = malloc(PIECES_MAX * sizeof *values);
	uint64_t *loaded = malloc(PIECES_MAX * sizeof *loaded);
	uint8_t bytes[PIECES_STORED_MAX(100)];
	unsigned refused = 0;

	(void)state;
	data_seed(9);
	for (unsigned round = 0; round < 100000; round++) {
		unsigned level = data_random_byte() % 48;
		struct content_pieces pieces = make_pieces(level, data_random_byte() % 100, values);
		size_t size = content_pieces_store(&pieces, bytes), cut;
		struct content_pieces again;
		uint8_t *copy;
		bytes[data_random_byte() % size] = data_random_byte();
		cut = data_random_byte() % 4 == 0 ? data_random_byte() % (size + 1) : size;
		copy = malloc(cut + 1); /* so that reading one more byte is noticed */
		memcpy(copy, bytes, cut);
		if (!content_pieces_load(copy, cut, loaded, &again)) {
			refused++;
			free(copy);
			continue;
		}
		free(copy);
		assert_true(again.level <= 47 && again.count <= PIECES_MAX);
		for (size_t i = 0; i < again.count; i++)
			assert_true(loaded[i] < UINT64_C(1) << (48 - again.level) &&
				    (i == 0 || loaded[i] > loaded[i - 1]));
	}
	assert_true(refused > 10000);
	free(values);
	free(loaded);
}

static void more_than_65536_stored_pieces_are_refused(void **state)
{
	uint64_t *loaded = malloc(PIECES_MAX * sizeof *loaded);
	uint8_t bytes[2 + 8193] = {0, 0}; /* each bit 0 is the next value */
	struct content_pieces pieces;

	(void)state;
	assert_true(content_pieces_load(bytes, 2 + 8192, loaded, &pieces));
	assert_int_equal(pieces.count, PIECES_MAX);
	assert_false(content_pieces_load(bytes, 2 + 8193, loaded, &pieces));
	free(loaded);
}

/* ---- Comparing ---- */

/* The share of the pieces of x below a bound that are pieces of y. */
static double share_below(const struct content_pieces *x, const struct content_pieces *y,
			  uint64_t bound)
{
	size_t below = 0, shared = 0;

	for (size_t i = 0; i < x->count && x->values[i] < bound; i++) {
		below++;
		for (size_t k = 0; k < y->count; k++)
			shared += x->values[i] == y->values[k];
	}
	assert_true(below >= 8);
	return (double)shared / (double)below;
}

/* 64 KB in 64 times as much: the deviation of a share is at most 0.0625 with 64 pieces. */
static void a_part_is_found_in_a_much_larger_content(void **state)
{
	const size_t size = 4 << 20;
	struct piece_collector of_part = {.count = 0}, of_whole = {.count = 0};
	uint8_t *whole = malloc(size);

	(void)state;
	data_seed(12);
	for (size_t i = 0; i < size; i++)
		whole[i] = data_random_byte();
	for (size_t part = 65536; part <= size; part *= 2) {
		struct simhash_resemblance_scanner *scanner = scanner_new(&of_part, all_levels[0]);
		struct simhash_resemblance_sketch sketch;
		struct content_pieces x, y;
		uint64_t bound;
		resemblance_scanner_compute(scanner, whole + size - part, part, &sketch);
		resemblance_scanner_collect(scanner, &of_whole, all_levels[0]);
		resemblance_scanner_compute(scanner, whole, size, &sketch);
		assert_true(piece_collector_finish(&of_part, &x));
		assert_true(piece_collector_finish(&of_whole, &y));
		bound = piece_bound(x.level > y.level ? x.level : y.level);
		assert_true(share_below(&x, &y, bound) == 1);
		assert_true(share_below(&y, &x, bound) < (double)part / (double)size + 0.25);
		simhash_resemblance_scanner_free(scanner);
	}
	piece_collector_release(&of_part);
	piece_collector_release(&of_whole);
	free(whole);
}

static int set_up(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	return kernel == NULL ? 0 : simhash_kernel_select(kernel, &error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_equal_reference),
		cmocka_unit_test(the_level_is_lower_for_contents_with_few_pieces),
		cmocka_unit_test(a_content_has_at_most_65536_pieces),
		cmocka_unit_test(any_cut_gives_the_same_pieces),
		cmocka_unit_test(a_scan_may_go_on_after_finish),
		cmocka_unit_test(parts_in_any_order_give_the_same_pieces),
		cmocka_unit_test(the_stored_form_gives_the_same_pieces),
		cmocka_unit_test(reading_in_steps_gives_the_same_pieces),
		cmocka_unit_test(damaged_bytes_are_refused_or_give_possible_pieces),
		cmocka_unit_test(more_than_65536_stored_pieces_are_refused),
		cmocka_unit_test(a_part_is_found_in_a_much_larger_content),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
