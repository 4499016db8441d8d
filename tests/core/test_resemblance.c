/*
 * Compares resemblance sketches with the reference: every short length, the sizes around each
 * level, every cut, and data that reaches the cap. Also compares estimates with exact resemblances.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
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
#include "simhash.h"

#define BIG 300000 /* many blocks, and an incomplete one */

static struct simhash_error error;

/* ---- Data ---- */

/* Kinds of data in addition to data.h. */
enum {
	KIND_DNA = DATA_KINDS,
	KIND_SAMPLED, /* every shingle is sampled, which reaches the cap */
	KIND_HALF_SAMPLED,
	KIND_PERIOD_2, /* two shingles, both sampled: all hits are in two registers */
	KIND_PERIOD_7,
	KINDS
};

static void fill_period(uint8_t *bytes, size_t size, size_t period)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = i < period ? data_random_byte() : bytes[i - period];
}

static void fill_period_2(uint8_t *bytes, size_t size)
{
	uint8_t pattern[17];

	for (unsigned word = 0; word < 65536; word++) {
		for (size_t i = 0; i < sizeof pattern; i++)
			pattern[i] = (uint8_t)(i % 2 == 0 ? word : word >> 8);
		if (reference_rank(pattern) < 512 && reference_rank(pattern + 1) < 512) {
			for (size_t i = 0; i < size; i++)
				bytes[i] = pattern[i % 2];
			return;
		}
	}
	fail_msg("no bytes of period 2 are sampled at all positions");
}

static void fill(int kind, uint8_t *bytes, size_t size)
{
	if (kind < DATA_KINDS) {
		data_fill((enum data_kind)kind, bytes, size);
		return;
	}
	data_seed((uint64_t)kind);
	if (kind == KIND_DNA)
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t) "ACGT"[data_random_byte() % 4];
	else if (kind == KIND_SAMPLED)
		reference_fill_sampled(bytes, size);
	else if (kind == KIND_HALF_SAMPLED)
		for (size_t i = 0; i < size; i += 3000) {
			size_t part = size - i < 3000 ? size - i : 3000;
			if (i / 3000 % 2 == 0)
				reference_fill_sampled(bytes + i, part);
			else
				fill_period(bytes + i, part, part);
		}
	else if (kind == KIND_PERIOD_2)
		fill_period_2(bytes, size);
	else
		fill_period(bytes, size, 7);
}

/* ---- Sketches ---- */

static void expect_sketch(const struct simhash_resemblance_sketch *sketch,
			  const uint8_t expected[144], int kind, size_t size)
{
	for (int r = 0; r < 128; r++)
		if (sketch->registers[r] != expected[r])
			fail_msg("kind %d, size %zu: register %d is %d, reference %d", kind, size,
				 r, sketch->registers[r], expected[r]);
	if (memcmp(sketch->text, expected + 128, sizeof sketch->text) != 0)
		fail_msg("kind %d, size %zu: the text has another size or hash", kind, size);
}

static void expect_same_as_reference(const uint8_t *bytes, size_t size, int kind)
{
	struct simhash_resemblance_sketch sketch;
	uint8_t expected[144];

	reference_sketch(bytes, size, expected);
	simhash_resemblance_sketch_compute(bytes, size, &sketch);
	expect_sketch(&sketch, expected, kind, size);
}

/* Otherwise the tests of the cap would test nothing. */
static void sampled_data_is_sampled_everywhere(void **state)
{
	static uint8_t bytes[10000];

	(void)state;
	fill(KIND_SAMPLED, bytes, sizeof bytes);
	for (size_t i = 0; i + 16 <= sizeof bytes; i++)
		assert_true(reference_rank(bytes + i) <= 0xFFFF >> 7);
}

static void sketch_equals_reference_on_every_length(void **state)
{
	struct guarded g = guarded_new(1500);

	(void)state;
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t size = 0; size <= 700; size++) {
			uint8_t *at_end = g.middle + g.room - size;
			fill(kind, at_end, size);
			expect_same_as_reference(at_end, size, kind);
			memmove(g.middle, at_end, size);
			expect_same_as_reference(g.middle, size, kind);
		}
	guarded_free(g);
}

/* Sizes at which the level changes or a block ends, and sizes near them. */
static void sketch_equals_reference_around_levels_and_blocks(void **state)
{
	struct guarded g = guarded_new(BIG);
	uint8_t *bytes = malloc(BIG);

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		fill(kind, bytes, BIG);
		for (size_t positions = 1024; positions <= 131072; positions *= 2)
			for (size_t size = positions + 15 - 1; size <= positions + 15 + 1; size++) {
				uint8_t *at_end = g.middle + g.room - size;
				memcpy(at_end, bytes, size);
				expect_same_as_reference(at_end, size, kind);
			}
		for (size_t size = 8000; size <= BIG; size += size / 2 + 17)
			expect_same_as_reference(bytes + size % 7 % (BIG - size + 1), size, kind);
	}
	free(bytes);
	guarded_free(g);
}

/*
 * Kernels read ahead. They copy the last block if it is shorter than the bytes that they would
 * read.
 */
static void sketch_reads_nothing_after_the_end_of_a_block(void **state)
{
	struct guarded g = guarded_new(9000);

	(void)state;
	for (size_t blocks = 1; blocks <= 2; blocks++)
		for (size_t size = 4096 * blocks - 20; size <= 4096 * blocks + 300; size++) {
			uint8_t *at_end = g.middle + g.room - size;
			fill(DATA_RANDOM, at_end, size);
			expect_same_as_reference(at_end, size, DATA_RANDOM);
		}
	guarded_free(g);
}

static void sketch_does_not_depend_on_alignment(void **state)
{
	uint8_t *buffer = malloc(20000 + 64);

	(void)state;
	for (size_t shift = 0; shift < 64; shift++)
		for (int kind = 0; kind < KINDS; kind += 5) {
			fill(kind, buffer + shift, 20000);
			expect_same_as_reference(buffer + shift, 20000, kind);
		}
	free(buffer);
}

/* ---- Streams and pieces ---- */

static void scan_in_cuts(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			 size_t size, size_t limit)
{
	simhash_resemblance_scanner_begin(scanner);
	for (size_t i = 0; i < size;) {
		size_t part = 1 + (data_random_byte() * 256u + data_random_byte()) * limit / 65536;
		/* The memory has exactly this size, so that reading one more byte is noticed. */
		uint8_t *copy = malloc(part);
		if (part > size - i)
			part = size - i;
		memcpy(copy, bytes + i, part);
		simhash_resemblance_scanner_update(scanner, copy, part);
		free(copy);
		i += part;
	}
}

static void scan_any_cut_gives_same_sketch(void **state)
{
	static const size_t limits[] = {1, 7, 40, 700, 5000, 20000, 70000, 200000};
	struct simhash_resemblance_scanner *scanner;
	struct simhash_resemblance_sketch sketch;
	uint8_t *bytes = malloc(BIG), expected[144];

	(void)state;
	assert_int_equal(simhash_resemblance_scanner_new(&scanner, &error), 0);
	for (int kind = 0; kind < KINDS; kind++) {
		fill(kind, bytes, BIG);
		for (size_t size = 10; size <= BIG; size = size * 3 + 1) {
			reference_sketch(bytes, size, expected);
			/* Byte by byte would take too long. */
			for (size_t l = size > 3000 ? 2 : 0; l < sizeof limits / sizeof *limits;
			     l++) {
				scan_in_cuts(scanner, bytes, size, limits[l]);
				simhash_resemblance_scanner_finish(scanner, &sketch);
				expect_sketch(&sketch, expected, kind, size);
			}
		}
	}
	simhash_resemblance_scanner_free(scanner);
	free(bytes);
}

/* An update from memory that begins after an unreadable page. */
static void update_guarded(struct simhash_resemblance_scanner *scanner, struct guarded g,
			   const uint8_t *bytes, size_t size)
{
	memcpy(g.middle, bytes, size);
	simhash_resemblance_scanner_update(scanner, g.middle, size);
}

/* Tests where the first update ends, and how the second one fills the stored bytes. */
static void scan_any_split_near_the_first_blocks_gives_same_sketch(void **state)
{
	const size_t known = RESEMBLANCE_LEVEL_KNOWN, size = known + 3 * RESEMBLANCE_BLOCK + 5;
	struct simhash_resemblance_scanner *scanner;
	struct simhash_resemblance_sketch sketch;
	struct guarded g = guarded_new(size);
	uint8_t *bytes = malloc(size), expected[144];

	(void)state;
	fill(DATA_RANDOM, bytes, size);
	reference_sketch(bytes, size, expected);
	assert_int_equal(simhash_resemblance_scanner_new(&scanner, &error), 0);
	for (size_t first = known - 20; first <= known + 20; first++)
		for (size_t second = 0; second <= 2 * RESEMBLANCE_BLOCK; second += 1 + second / 2) {
			simhash_resemblance_scanner_begin(scanner);
			simhash_resemblance_scanner_update(scanner, bytes, first);
			update_guarded(scanner, g, bytes + first, second);
			update_guarded(scanner, g, bytes + first + second, size - first - second);
			simhash_resemblance_scanner_finish(scanner, &sketch);
			expect_sketch(&sketch, expected, DATA_RANDOM, size);
		}
	simhash_resemblance_scanner_free(scanner);
	guarded_free(g);
	free(bytes);
}

static void scan_may_go_on_after_finish(void **state)
{
	struct simhash_resemblance_scanner *scanner;
	struct simhash_resemblance_sketch sketch;
	uint8_t *bytes = malloc(BIG), expected[144];

	(void)state;
	fill(DATA_WORDS, bytes, BIG);
	assert_int_equal(simhash_resemblance_scanner_new(&scanner, &error), 0);
	for (size_t size = 0; size < BIG; size += 9973) {
		reference_sketch(bytes, size, expected);
		simhash_resemblance_scanner_finish(scanner, &sketch);
		expect_sketch(&sketch, expected, DATA_WORDS, size);
		simhash_resemblance_scanner_update(scanner, bytes + size,
						   BIG - size < 9973 ? BIG - size : 9973);
	}
	simhash_resemblance_scanner_free(NULL);
	simhash_resemblance_scanner_free(scanner);
	free(bytes);
}

/* As in threads: each has its own registers, and pieces come in any order. */
static void pieces_in_any_order_give_same_sketch(void **state)
{
	struct resemblance_registers parts[3], all;
	struct simhash_resemblance_sketch sketch;
	uint8_t *bytes = malloc(BIG), expected[144] = {0};

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		fill(kind, bytes, BIG);
		reference_registers(bytes, BIG, expected);
		for (size_t blocks = 1; blocks < 40; blocks += 6) {
			size_t piece = blocks * RESEMBLANCE_BLOCK,
			       pieces = (BIG + piece - 1) / piece;
			for (int p = 0; p < 3; p++)
				resemblance_begin(&parts[p]);
			/*
			 * 7 must have no common factor with the number of pieces; if it is a
			 * multiple of 7, they go backwards.
			 */
			for (size_t i = 0; i < pieces; i++) {
				size_t at =
					(pieces % 7 == 0 ? pieces - 1 - i : 7 * i % pieces) * piece;
				size_t size = piece + SHINGLE_OVERLAP;
				resemblance_add(&parts[data_random_byte() % 3],
						RESEMBLANCE_LEVEL_MAX, at, bytes + at,
						BIG - at < size ? BIG - at : size);
			}
			resemblance_begin(&all);
			for (int p = 2; p >= 0; p--)
				resemblance_merge(&all, &parts[p]);
			resemblance_finish(&all, &sketch);
			expect_sketch(&sketch, expected, kind, BIG);
		}
	}
	free(bytes);
}

/* ---- Estimates ---- */

static void estimate_equals_reference(void **state)
{
	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct simhash_resemblance_sketch a = {.text = {0}}, b = {.text = {0}};
		int64_t size_a = 16 << data_random_byte() % 14,
			size_b = 16 << data_random_byte() % 14;
		uint8_t empty = data_random_byte(), same = data_random_byte();
		double estimate = -1, reversed = -1, expected = -1;
		bool can_tell, can_tell_reversed;
		for (int r = 0; r < 128; r++) {
			a.registers[r] = data_random_byte() < empty ? 0 : data_random_byte();
			b.registers[r] = data_random_byte() < empty ? 0 : data_random_byte();
			if (data_random_byte() < same)
				b.registers[r] = a.registers[r];
		}
		can_tell = simhash_resemblance_estimate(&a, size_a, &b, size_b, &estimate);
		can_tell_reversed = simhash_resemblance_estimate(&b, size_b, &a, size_a, &reversed);
		assert_int_equal(can_tell,
				 reference_resemblance(a.registers, (uint64_t)size_a, b.registers,
						       (uint64_t)size_b, &expected));
		assert_int_equal(can_tell, can_tell_reversed);
		assert_true(fabs(estimate - expected) < 1e-12);
		assert_true(fabs(estimate - reversed) < 1e-12);
	}
}

static void estimate_of_same_and_of_strangers(void **state)
{
	uint8_t *a = malloc(BIG), *b = malloc(BIG);
	struct simhash_resemblance_sketch sketch_a, sketch_b;

	(void)state;
	data_seed(3);
	for (size_t i = 0; i < BIG; i++) {
		a[i] = data_random_byte();
		b[i] = data_random_byte();
	}
	for (size_t size = 100; size <= BIG; size = size * 3 / 2) {
		double estimate = -1;
		simhash_resemblance_sketch_compute(a, size, &sketch_a);
		simhash_resemblance_sketch_compute(b, size, &sketch_b);
		assert_true(simhash_resemblance_estimate(&sketch_a, (int64_t)size, &sketch_a,
							 (int64_t)size, &estimate));
		assert_true(estimate == 1);
		assert_true(simhash_containment_estimate(&sketch_a, (int64_t)size, &sketch_a,
							 (int64_t)size, &estimate));
		assert_true(estimate == 1);
		assert_true(simhash_resemblance_estimate(&sketch_a, (int64_t)size, &sketch_b,
							 (int64_t)size, &estimate));
		assert_true(estimate < 0.05);
	}
	free(a);
	free(b);
}

static void estimate_cannot_tell_from_few_registers(void **state)
{
	struct simhash_resemblance_sketch a = {.text = {0}}, b = {.text = {0}};
	double estimate = 7;

	(void)state;
	for (int r = 0; r < 15; r++)
		a.registers[r] = b.registers[r + 1] = 1;
	/* Of the 16 registers, each side lacks one. */
	assert_true(simhash_resemblance_estimate(&a, 500, &b, 500, &estimate));
	estimate = 7;
	/* The file with the higher level lacks one register, which does not count. */
	assert_false(simhash_resemblance_estimate(&a, 500, &b, 5000, &estimate));
	assert_false(simhash_resemblance_estimate(&a, 5000, &b, 500, &estimate));
	assert_false(simhash_containment_estimate(&a, 500, &b, 5000, &estimate));
	b.registers[15] = 0;
	assert_false(simhash_resemblance_estimate(&a, 500, &b, 500, &estimate));
	assert_true(estimate == 7);
	/* Contents without a shingle. */
	simhash_resemblance_sketch_compute("123456789012345", 15, &a);
	assert_false(simhash_resemblance_estimate(&a, 15, &a, 15, &estimate));
	assert_false(simhash_resemblance_estimate(&a, 0, &a, 0, &estimate));
	assert_true(estimate == 7);
}

/* A copy in which a share was replaced, in one place or in several. */
static size_t make_version(const uint8_t *from, size_t size, uint8_t *to)
{
	size_t places = 1 + data_random_byte() % 8;

	memcpy(to, from, size);
	for (size_t p = 0; p < places; p++) {
		size_t length = size * data_random_byte() / (places * 512);
		size_t at =
			(data_random_byte() * 256u + data_random_byte()) * (size - length) / 65536;
		for (size_t i = 0; i < length; i++)
			to[at + i] = data_random_byte();
	}
	/* Some versions lose their end, so that levels differ. */
	return data_random_byte() % 2 == 0 ? size : size - size * data_random_byte() / 1024;
}

/* The deviation that the header documents for this resemblance. */
static double deviation(double resemblance)
{
	return resemblance < 0.75   ? 0.08
	       : resemblance < 0.85 ? 0.06
	       : resemblance < 0.93 ? 0.042
	       : resemblance < 0.97 ? 0.03
				    : 0.015;
}

static void estimates_are_near_exact_resemblances(void **state)
{
	uint8_t *a = malloc(BIG), *b = malloc(BIG);
	double sum = 0;
	int count = 0;

	(void)state;
	data_seed(20);
	for (int round = 0; round < 100; round++) {
		struct simhash_resemblance_sketch sketch_a, sketch_b;
		size_t size = 600 + (size_t)data_random_byte() * data_random_byte(), size_b;
		double exact, estimate, share, exact_share;
		for (size_t i = 0; i < size; i++)
			a[i] = data_random_byte() % 64;
		size_b = make_version(a, size, b);
		exact = reference_jaccard(a, size, b, size_b);
		simhash_resemblance_sketch_compute(a, size, &sketch_a);
		simhash_resemblance_sketch_compute(b, size_b, &sketch_b);
		assert_true(simhash_resemblance_estimate(&sketch_a, (int64_t)size, &sketch_b,
							 (int64_t)size_b, &estimate));
		if (fabs(estimate - exact) > 4 * deviation(exact))
			fail_msg("round %d, sizes %zu and %zu: estimate %.3f, exact %.3f", round,
				 size, size_b, estimate, exact);
		sum += estimate - exact;
		count++;
		/* Almost no shingle occurs twice in these files, so the share can be computed. */
		exact_share = exact / (1 + exact) * (double)(size + size_b) / (double)size_b;
		assert_true(simhash_containment_estimate(&sketch_a, (int64_t)size, &sketch_b,
							 (int64_t)size_b, &share));
		assert_true(share <= 1);
		if (fabs(share - fmin(1, exact_share)) > 4 * deviation(exact))
			fail_msg("round %d, sizes %zu and %zu: share %.3f, exact %.3f", round, size,
				 size_b, share, exact_share);
	}
	/* There is no bias: the mean of so many estimates has a deviation of 0.008. */
	assert_true(fabs(sum / count) < 0.03);
	free(a);
	free(b);
}

static int set_up(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	/* Without a name, use the kernel that users get. */
	return kernel == NULL ? 0 : simhash_kernel_select(kernel, &error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sampled_data_is_sampled_everywhere),
		cmocka_unit_test(sketch_equals_reference_on_every_length),
		cmocka_unit_test(sketch_equals_reference_around_levels_and_blocks),
		cmocka_unit_test(sketch_reads_nothing_after_the_end_of_a_block),
		cmocka_unit_test(sketch_does_not_depend_on_alignment),
		cmocka_unit_test(scan_any_cut_gives_same_sketch),
		cmocka_unit_test(scan_any_split_near_the_first_blocks_gives_same_sketch),
		cmocka_unit_test(scan_may_go_on_after_finish),
		cmocka_unit_test(pieces_in_any_order_give_same_sketch),
		cmocka_unit_test(estimate_equals_reference),
		cmocka_unit_test(estimate_of_same_and_of_strangers),
		cmocka_unit_test(estimate_cannot_tell_from_few_registers),
		cmocka_unit_test(estimates_are_near_exact_resemblances),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
