/*
 * Compares the scan with the bit-by-bit reference: every short length, every split, and every kind
 * of data that has broken a scan before.
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

#include "core/piece.h"
#include "data.h"
#include "guarded.h"
#include "reference.h"
#include "simhash.h"

#define BIG 150000 /* several blocks of any kernel, and an incomplete one */

static struct simhash_tag_set *sample;
static struct simhash_error error;

/* A tag set that overlaps itself in every way: short periods, and shifts of each other. */
static const struct reference_tag periodic[16] = {
	{0x00, 0, 0}, {0xff, 0, 0}, {0x55, 0, 0}, {0xaa, 0, 0}, {0x49, 0, 0}, {0x92, 0, 0},
	{0x24, 0, 0}, {0xdb, 0, 0}, {0xb6, 0, 0}, {0x6d, 0, 0}, {0x11, 0, 0}, {0x22, 0, 0},
	{0x44, 0, 0}, {0x88, 0, 0}, {0x33, 0, 0}, {0xcc, 0, 0},
};

static struct simhash_tag_set *make_set(const struct reference_tag tags[16])
{
	struct simhash_tag copies[SIMHASH_TAGS];
	struct simhash_tag_set *set;

	for (int i = 0; i < SIMHASH_TAGS; i++)
		copies[i] = (struct simhash_tag){tags[i].pattern, 1000, 1000, 1000};
	assert_int_equal(simhash_tag_set_new("test", copies, &set, &error), 0);
	return set;
}

static void scan(const struct simhash_tag_set *set, const uint8_t *bytes, size_t size, size_t split,
		 struct simhash_sum_table *table)
{
	struct simhash_scanner scanner;

	simhash_scanner_init(&scanner, set);
	simhash_scanner_update(&scanner, bytes, split);
	simhash_scanner_update(&scanner, bytes + split, size - split);
	simhash_scanner_finish(&scanner, table);
}

static void expect_counts(const struct reference_tag tags[16], const struct simhash_tag_set *set,
			  const uint8_t *bytes, size_t size, size_t split)
{
	struct simhash_sum_table table;
	uint64_t counts[16];

	reference_counts(tags, bytes, size, counts);
	scan(set, bytes, size, split, &table);
	for (int t = 0; t < 16; t++)
		if (table.count[t] != counts[t])
			fail_msg("size %zu, split %zu: tag %02x counted %llu times, reference %llu",
				 size, split, tags[t].pattern, (unsigned long long)table.count[t],
				 (unsigned long long)counts[t]);
}

/* Tests the reference itself with cases worked out by hand from the paper. */
static void reference_agrees_with_hand_worked_cases(void **state)
{
	static const struct {
		const uint8_t *bytes;
		size_t size;
		uint64_t counts[16];
	} cases[] = {
		{(const uint8_t *)"", 0, {0}},
		{(const uint8_t *)"\x00", 1, {1}},
		{(const uint8_t *)"\x00\x00", 2, {2}},
		/* 0000000 1 0000000 0: 00 does not fit before the 1, but fits from bit 8 */
		{(const uint8_t *)"\x01\x00", 2, {1}},
		/* 10000000 01...: one 00 from bit 1 */
		{(const uint8_t *)"\x80\x40", 2, {1}},
		{(const uint8_t *)"t", 1, {0, 1}},
		{(const uint8_t *)"te", 2, {0, 1, 1}},
		/* 00000111 01000000: 0x74 across the boundary is 01110100 from bit 4 */
		{(const uint8_t *)"\x07\x40", 2, {0, 1}},
		/* 01001001 001: 49 at bits 0 and 3 overlap, so it counts once */
		{(const uint8_t *)"\x49\x20", 2, {[8] = 1}},
		/* 49 at bit 0, the overlaps at 3 and 6 are skipped, and 49 again at bit 9 */
		{(const uint8_t *)"\x49\x24\x92", 3, {[8] = 2}},
	};
	uint64_t counts[16];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		reference_counts(reference_sample, cases[i].bytes, cases[i].size, counts);
		for (int t = 0; t < 16; t++)
			if (counts[t] != cases[i].counts[t])
				fail_msg("case %zu, tag %02x: %llu", i, reference_sample[t].pattern,
					 (unsigned long long)counts[t]);
	}
}

static void scan_equals_reference_on_every_length(void **state)
{
	struct guarded g = guarded_new(400);

	(void)state;
	for (int kind = 0; kind < DATA_KINDS; kind++)
		for (size_t size = 0; size <= 300; size++) {
			uint8_t *at_end = g.middle + g.room - size;
			data_fill((enum data_kind)kind, g.middle, size);
			expect_counts(reference_sample, sample, g.middle, size, size);
			memmove(at_end, g.middle, size);
			expect_counts(reference_sample, sample, at_end, size, 0);
		}
	guarded_free(g);
}

static void scan_equals_reference_on_big_inputs(void **state)
{
	struct guarded g = guarded_new(BIG);
	struct simhash_tag_set *overlapping = make_set(periodic);

	(void)state;
	for (int kind = 0; kind < DATA_KINDS; kind++) {
		uint8_t *bytes = g.middle + g.room - BIG;
		data_fill((enum data_kind)kind, bytes, BIG);
		expect_counts(reference_sample, sample, bytes, BIG, 0);
		expect_counts(periodic, overlapping, bytes, BIG, 0);
		expect_counts(reference_sample, sample, bytes, BIG, 12345);
		expect_counts(periodic, overlapping, bytes, BIG, 54321);
	}
	simhash_tag_set_free(overlapping);
	guarded_free(g);
}

/*
 * 16, 32 and 64 lanes with lengths near the length of a tile, near the length at which a kernel
 * starts to read ahead, and up to the end of readable memory.
 */
static void scan_equals_reference_on_every_length_of_lanes(void **state)
{
	static const enum data_kind kinds[] = {DATA_RANDOM, DATA_ZERO_RUNS, DATA_TAG_DB};
	struct guarded g = guarded_new(64 * 290);

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t lane = 15; lane <= 289; lane += lane == 50 ? 204 : 1)
			for (size_t lanes = 16; lanes <= 64; lanes *= 2) {
				size_t size = lanes * lane + lane % 3 - 1;
				uint8_t *bytes = g.middle + g.room - size;
				data_fill(kinds[k], bytes, size);
				expect_counts(reference_sample, sample, bytes, size, 0);
				/* A cut at the end of a lane; the rest has its own lanes. */
				expect_counts(reference_sample, sample, bytes, size,
					      lane * (lane % lanes));
			}
	guarded_free(g);
}

static void scan_any_split_gives_same_table(void **state)
{
	uint8_t bytes[777];

	(void)state;
	for (int kind = 0; kind < DATA_KINDS; kind++) {
		data_fill((enum data_kind)kind, bytes, sizeof bytes);
		for (size_t split = 0; split <= sizeof bytes; split++)
			expect_counts(reference_sample, sample, bytes, sizeof bytes, split);
	}
}

static void scan_byte_by_byte_and_in_random_pieces(void **state)
{
	uint8_t *bytes = malloc(BIG);
	struct simhash_sum_table whole, pieces;
	struct simhash_scanner scanner;

	(void)state;
	for (int kind = 0; kind < DATA_KINDS; kind++)
		for (int round = 0; round < 20; round++) {
			size_t limit = round == 0 ? 1 : (size_t)1 << (round % 14);
			data_fill((enum data_kind)kind, bytes, BIG);
			scan(sample, bytes, BIG, 0, &whole);
			simhash_scanner_init(&scanner, sample);
			for (size_t i = 0; i < BIG;) {
				size_t size = 1 + data_random_byte() * limit / 256;
				if (size > BIG - i)
					size = BIG - i;
				simhash_scanner_update(&scanner, bytes + i, size);
				i += size;
			}
			simhash_scanner_finish(&scanner, &pieces);
			assert_memory_equal(&whole, &pieces, sizeof whole);
		}
	free(bytes);
}

/* Scans the pieces of a stream separately, and then joins them. */
static void scan_in_pieces_of_any_size(void **state)
{
	static const size_t sizes[] = {2, 3, 100, 1500, 40000, 70001};
	struct scan_piece *piece = malloc(sizeof *piece);
	uint8_t *bytes = malloc(BIG);
	size_t again = 0;

	(void)state;
	for (int kind = 0; kind < DATA_KINDS; kind++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			struct simhash_sum_table whole, pieces;
			struct simhash_scanner scanner;
			size_t end = sizes[s] < 100 ? 3000 : BIG;
			data_fill((enum data_kind)kind, bytes, end);
			scan(sample, bytes, end, 0, &whole);
			simhash_scanner_init(&scanner, sample);
			simhash_scanner_update(&scanner, bytes, 2);
			for (size_t i = 2; i < end; i += sizes[s]) {
				size_t size = end - i < sizes[s] ? end - i : sizes[s];
				scan_piece(piece, sample, bytes + i - 2, bytes + i, size);
				if (scan_piece_append(&scanner, piece))
					continue;
				simhash_scanner_update(&scanner, bytes + i, size);
				again++;
			}
			simhash_scanner_finish(&scanner, &pieces);
			assert_memory_equal(&whole, &pieces, sizeof whole);
		}
	/* For example, zeros out of phase cannot be joined. */
	assert_true(again > 0);
	free(bytes);
	free(piece);
}

/* Different tags at random. */
static void choose_tags(struct reference_tag tags[16])
{
	memset(tags, 0, 16 * sizeof *tags);
	for (int t = 0; t < 16; t++) {
		tags[t].pattern = data_random_byte();
		for (int u = 0; u < t; u++)
			if (tags[u].pattern == tags[t].pattern) {
				tags[t].pattern = data_random_byte();
				u = -1;
			}
	}
}

static void scan_any_tag_set(void **state)
{
	static uint8_t bytes[10000];

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct reference_tag tags[16];
		struct simhash_tag_set *set;
		data_seed(seed);
		choose_tags(tags);
		set = make_set(tags);
		/* Data that consists of the tags themselves, at all phases. */
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = i % 7 == 0 ? data_random_byte()
					      : tags[data_random_byte() % 16].pattern;
		expect_counts(tags, set, bytes, sizeof bytes, seed);
		/* Data in which each tag overlaps itself in all possible ways. */
		for (int t = 0; t < 16; t++) {
			unsigned gaps[8], gap_count = 0;
			uint8_t tag = tags[t].pattern;
			for (unsigned gap = 1; gap < 8; gap++)
				if ((tag & (0xff >> gap)) == tag >> gap)
					gaps[gap_count++] = gap;
			gaps[gap_count++] = 8;
			data_chain(tag, gaps, gap_count, bytes, sizeof bytes);
			expect_counts(tags, set, bytes, sizeof bytes, seed);
		}
		simhash_tag_set_free(set);
	}
}

/* Bytes, zeros that are only counted, and bytes again. */
static void expect_zeros(const struct reference_tag tags[16], const struct simhash_tag_set *set,
			 size_t before, size_t zeros, size_t after)
{
	static uint8_t bytes[2000];
	struct simhash_scanner scanner;
	struct simhash_sum_table table;
	uint64_t counts[16];

	for (size_t i = 0; i < before + zeros + after; i++)
		bytes[i] = i >= before && i < before + zeros ? 0
			   : i % 3 == 0			     ? data_random_byte()
					: tags[data_random_byte() % 16].pattern;
	reference_counts(tags, bytes, before + zeros + after, counts);
	simhash_scanner_init(&scanner, set);
	simhash_scanner_update(&scanner, bytes, before);
	scan_zeros(&scanner, zeros / 3);
	scan_zeros(&scanner, zeros - zeros / 3);
	simhash_scanner_update(&scanner, bytes + before + zeros, after);
	simhash_scanner_finish(&scanner, &table);
	assert_memory_equal(table.count, counts, sizeof counts);
}

static void zeros_are_counted_without_memory(void **state)
{
	static const size_t runs[] = {0, 1, 2, 3, 5, 8, 17, 200};

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct reference_tag tags[16];
		struct simhash_tag_set *set;
		data_seed(seed);
		choose_tags(tags);
		if (seed < 2)
			memcpy(tags, seed == 0 ? periodic : reference_sample, sizeof tags);
		set = make_set(tags);
		for (size_t before = 0; before < 12; before++)
			for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
				expect_zeros(tags, set, before, runs[r], before == 7 ? 600 : 5);
		simhash_tag_set_free(set);
	}
}

/* Counts exceed 32 bits: more than 2^32 zero bytes contain as many tags 00. */
static void scan_counts_in_64_bits(void **state)
{
	static uint8_t zeros[1 << 20];
	const uint64_t rounds = 4100;
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	(void)state;
	simhash_scanner_init(&scanner, sample);
	for (uint64_t i = 0; i < rounds; i++)
		simhash_scanner_update(&scanner, zeros, sizeof zeros);
	scan_zeros(&scanner, (size_t)5 << 40);
	simhash_scanner_finish(&scanner, &table);
	assert_int_equal(table.count[0], rounds * sizeof zeros + ((uint64_t)5 << 40));
	for (int t = 1; t < 16; t++)
		assert_int_equal(table.count[t], 0);
}

static void scan_may_go_on_after_finish(void **state)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	(void)state;
	simhash_scanner_init(&scanner, sample);
	simhash_scanner_update(&scanner, "\x07", 1);
	simhash_scanner_finish(&scanner, &table);
	assert_int_equal(table.count[1], 0);
	simhash_scanner_update(&scanner, "\x40", 1);
	simhash_scanner_finish(&scanner, &table);
	assert_int_equal(table.count[1], 1);
}

static void kernel_is_the_one_selected(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	if (kernel != NULL)
		assert_string_equal(simhash_kernel_name(), kernel);
	assert_int_equal(simhash_kernel_select("abacus", &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_non_null(strstr(error.message, "'abacus'"));
	assert_non_null(strstr(error.message, "portable"));
	if (kernel != NULL)
		assert_string_equal(simhash_kernel_name(), kernel);
}

static int set_up(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	if (simhash_tag_set_new_default(&sample, &error) != 0)
		return -1;
	/* Without a name, use the kernel that users get. */
	return kernel == NULL ? 0 : simhash_kernel_select(kernel, &error);
}

static int tear_down(void **state)
{
	(void)state;
	simhash_tag_set_free(sample);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_agrees_with_hand_worked_cases),
		cmocka_unit_test(kernel_is_the_one_selected),
		cmocka_unit_test(scan_equals_reference_on_every_length),
		cmocka_unit_test(scan_equals_reference_on_big_inputs),
		cmocka_unit_test(scan_equals_reference_on_every_length_of_lanes),
		cmocka_unit_test(scan_any_split_gives_same_table),
		cmocka_unit_test(scan_byte_by_byte_and_in_random_pieces),
		cmocka_unit_test(scan_in_pieces_of_any_size),
		cmocka_unit_test(scan_any_tag_set),
		cmocka_unit_test(zeros_are_counted_without_memory),
		cmocka_unit_test(scan_counts_in_64_bits),
		cmocka_unit_test(scan_may_go_on_after_finish),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
