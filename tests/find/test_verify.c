/*
 * Tests the thresholds for verifying pairs, with sketches in which a chosen number of registers
 * agree, and the pairs that sketches alone make.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "find/rule/common_content.h"
#include "find/rule/find.h"

#define SIZE 100000
#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

static const struct simhash_tolerance one_percent = SIMHASH_TOLERANCE_DEFAULT;
static struct find_file x, y;
static struct relation relation;

/* Two files of this size and one extension whose sketches share this number of registers. */
static void make_files(int64_t size_bytes, int agreeing)
{
	x = (struct find_file){.size_bytes = size_bytes, .has_sketch = true, .content_hash = {1}};
	y = x;
	y.content_hash[0] = 2;
	for (int i = 0; i < REGISTERS; i++) {
		x.sketch.registers[i] = (uint8_t)(1 + i);
		y.sketch.registers[i] = i < agreeing ? (uint8_t)(1 + i) : 200;
	}
	relation = (struct relation){.distance = 0};
}

static void expect_near(double found, double expected, double error)
{
	assert_true(found >= expected - error && found <= expected + error);
}

/* The resemblance that the specification gives if `agreeing` of 128 full registers agree. */
static double resemblance_of(int agreeing)
{
	return agreeing < 1 ? 0 : (agreeing - 128.0 / 255) / (128 - 128.0 / 255);
}

/* The smallest number of equal registers that gives this resemblance. */
static int registers_for(double resemblance)
{
	int agreeing = 0;

	while (resemblance_of(agreeing) < resemblance)
		agreeing++;
	return agreeing;
}

static bool verify(const struct verify_rule *rule, uint64_t distance)
{
	relation = (struct relation){.distance = distance};
	return verify_by_sketches(rule, &one_percent, &x, &y, &relation);
}

/* A pair at this distance needs exactly this resemblance, which is then set. */
static void expect_minimum(const struct verify_rule *rule, uint64_t distance, double minimum)
{
	int enough = registers_for(minimum);

	make_files(SIZE, enough);
	assert_true(verify(rule, distance));
	assert_int_equal(relation.verification, PAIR_SKETCH);
	expect_near(relation.resemblance, resemblance_of(enough), 1e-9);
	if (enough == 0)
		return;
	make_files(SIZE, enough - 1);
	assert_false(verify(rule, distance));
}

/* 1 % of 100,000 bytes is 1,000 bytes. */
static void the_minimum_is_graded_by_the_distance(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};

	(void)state;
	expect_minimum(&rule, 0, 0.3);
	expect_minimum(&rule, 1000, 0.3);
	expect_minimum(&rule, 1001, 0.4);
	expect_minimum(&rule, 2000, 0.4);
	expect_minimum(&rule, 2001, 0.6);
	expect_minimum(&rule, 5000, 0.6);
	expect_minimum(&rule, 99999, 0.6);
}

/* Compressed files have such counts. */
static void equal_counts_of_random_bytes_are_no_evidence(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};
	int enough = registers_for(0.5);

	(void)state;
	for (int random = 0; random < 4; random++) {
		make_files(SIZE, enough - 1);
		x.has_random_counts = (random & 1) != 0;
		y.has_random_counts = (random & 2) != 0;
		assert_int_equal(verify(&rule, 0), random != 3);
	}
	make_files(SIZE, enough);
	x.has_random_counts = y.has_random_counts = true;
	assert_true(verify(&rule, 0));
}

static void a_minimum_that_is_given_holds_at_every_distance(void **state)
{
	static const double minima[] = {0, 0.01, 0.6, 0.95, 1};

	(void)state;
	for (size_t i = 0; i < sizeof minima / sizeof *minima; i++) {
		const struct verify_rule rule = {.mode = VERIFY_SKETCH,
						 .min_resemblance = minima[i]};
		expect_minimum(&rule, 0, minima[i]);
		expect_minimum(&rule, 1500, minima[i]);
		expect_minimum(&rule, 5000, minima[i]);
	}
}

/*
 * Pairs are dropped later, after reading. Here only pairs with almost nothing in common are
 * dropped.
 */
static void before_reading_only_the_unrelated_are_dropped(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_READ, .min_resemblance = 0.8};

	(void)state;
	expect_minimum(&rule, 0, 0.25);
	expect_minimum(&rule, 5000, 0.25);
}

static void to_read_all_every_candidate_is_kept(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_ALL, .min_resemblance = 0.8};

	(void)state;
	make_files(SIZE, 0);
	assert_true(verify(&rule, 5000));
	assert_int_equal(relation.verification, PAIR_UNVERIFIED);
	x.has_sketch = false;
	y.extension_hash = 7;
	assert_true(verify(&rule, 5000));
}

/* In this case, the rule of the paper applies, with its tolerance. */
static void without_a_sketch_counts_and_extension_decide(void **state)
{
	static const enum verify_mode modes[] = {VERIFY_SKETCH, VERIFY_READ};

	(void)state;
	for (int i = 0; i < 6; i++) {
		const struct verify_rule rule = {.mode = modes[i / 3], .min_resemblance = GRADED};
		make_files(SIZE, REGISTERS);
		x.has_sketch = i % 3 == 1;
		y.has_sketch = i % 3 == 2;
		relation.verification = PAIR_READ; /* must be overwritten */
		assert_true(verify(&rule, 1000));
		assert_int_equal(relation.verification, PAIR_UNVERIFIED);
		assert_false(verify(&rule, 1001));
		y.extension_hash = 7;
		assert_false(verify(&rule, 0));
	}
}

/* A distance of 1 is always within a tolerance. */
static void small_files_need_more(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};

	(void)state;
	for (int64_t size = 1023; size <= 1024; size++) {
		int enough = registers_for(size < 1024 ? 0.5 : 0.3);
		for (int missing = 0; missing < 2; missing++) {
			make_files(size, enough - missing);
			y.size_bytes = 1200;
			assert_int_equal(verify(&rule, 1), !missing);
			x.size_bytes = 1200;
			y.size_bytes = size;
			assert_int_equal(verify(&rule, 1), !missing);
		}
	}
}

/* Fewer than 16 registers are in use. */
static void where_sketches_cannot_tell_they_and_the_counts_must_agree(void **state)
{
	const struct verify_rule sketch = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};
	const struct verify_rule read = {.mode = VERIFY_READ, .min_resemblance = 0.8};

	(void)state;
	make_files(2000, REGISTERS);
	memset(x.sketch.registers + 15, 0, REGISTERS - 15);
	memset(y.sketch.registers + 15, 0, REGISTERS - 15);
	y.extension_hash = 7;
	/* Within 1 %, regardless of other tolerances. */
	assert_true(verify(&sketch, 20));
	assert_int_equal(relation.verification, PAIR_COUNTS);
	assert_false(verify(&sketch, 21));
	assert_true(verify(&read, 21)); /* reading decides later */
	assert_int_equal(relation.verification, PAIR_COUNTS);
	/* 9 of 15 registers are 60 %. */
	for (int i = 0; i < 6; i++)
		x.sketch.registers[i] = 100;
	assert_true(verify(&sketch, 20));
	assert_int_equal(relation.verification, PAIR_COUNTS);
	assert_false(
		verify(&(struct verify_rule){.mode = VERIFY_SKETCH, .min_resemblance = 0.7}, 20));
	assert_false(verify(&(struct verify_rule){.mode = VERIFY_SKETCH, .min_resemblance = 1}, 0));
	x.sketch.registers[6] = 100;
	assert_false(verify(&sketch, 0));
	/* With a sixteenth register, there is an estimate. */
	x.sketch.registers[20] = y.sketch.registers[20] = 9;
	assert_true(verify(&sketch, 21));
	assert_int_equal(relation.verification, PAIR_SKETCH);
}

/* 1,000 of 2,000 bytes are zeros: the other counts must agree within a fiftieth of the rest. */
static void counts_of_mostly_one_byte_are_no_evidence(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};

	(void)state;
	make_files(2000, REGISTERS);
	memset(x.sketch.registers + 2, 0, REGISTERS - 2);
	memset(y.sketch.registers + 2, 0, REGISTERS - 2);
	x.table.count[0] = 1000;
	y.table.count[0] = 1010;
	x.table.count[3] = 40;
	y.table.count[3] = 63;
	assert_true(verify(&rule, 20));
	y.table.count[3] = 65;
	assert_false(verify(&rule, 20));
	/* Two registers can be equal by chance, or in a header. */
	y.table.count[3] = 40;
	x.sketch.registers[2] = 7;
	assert_false(verify(&rule, 20));
	x.sketch.registers[3] = y.sketch.registers[3] = 7;
	assert_true(verify(&rule, 20));
}

/* A run of one byte has a sketch of zeros, and so does a file shorter than a shingle. */
static void without_a_shingle_nothing_is_known(void **state)
{
	const struct verify_rule rule = {.mode = VERIFY_SKETCH, .min_resemblance = GRADED};

	(void)state;
	make_files(16, REGISTERS);
	memset(x.sketch.registers, 0, REGISTERS);
	memset(y.sketch.registers, 0, REGISTERS);
	assert_false(verify(&rule, 0));
	y.size_bytes = 15;
	assert_false(verify(&rule, 0));
	y.size_bytes = 16;
	x.size_bytes = 15;
	assert_false(verify(&rule, 0));
}

static void a_sketch_settles_what_is_clearly_above(void **state)
{
	(void)state;
	/* The margin is 0.01 from 0.97, 0.06 from 0.85, and 0.1 below. */
	assert_true(sketch_settles(1, 0.99));
	assert_false(sketch_settles(1, 0.995));
	assert_true(sketch_settles(0.97, 0.95));
	assert_false(sketch_settles(0.969, 0.92));
	assert_true(sketch_settles(0.9, 0.83));
	assert_false(sketch_settles(0.85, 0.8));
	assert_true(sketch_settles(0.84, 0.73));
	assert_false(sketch_settles(0.84, 0.75));
	assert_true(sketch_settles(0.1, 0));
}

/* ---- The rule ---- */

static struct find_request request;

static void begin_request(const char *percent)
{
	struct simhash_error error;

	find_request_init(&request);
	assert_int_equal(simhash_tolerance_parse(
				 percent, &request.rule.tolerance.percent_millionths, &error),
			 0);
}

static void end_request(void)
{
	rule_release(&request.rule);
}

static void identical_files_are_a_pair_whatever_else_holds(void **state)
{
	(void)state;
	for (enum verify_mode mode = VERIFY_NO; mode <= VERIFY_ALL; mode++) {
		begin_request("0");
		request.rule.verify.mode = mode;
		request.rule.verify.same_extension = mode != VERIFY_NO;
		request.rule.verify.min_resemblance = mode == VERIFY_NO ? GRADED : 1;
		make_files(SIZE, 0);
		y.content_hash[0] = 1;
		y.extension_hash = 7;
		/* With any sketches, with one sketch, or without sketches. */
		for (int i = 0; i < 3; i++) {
			bool is_pair = rule_matches(&request.rule, &x, &y, &relation);
			assert_int_equal(is_pair, mode != VERIFY_NO);
			*(i == 0 ? &x.has_sketch : &y.has_sketch) = false;
		}
		end_request();
	}
}

static void an_extension_decides_only_where_it_was_asked_to(void **state)
{
	(void)state;
	begin_request("5");
	make_files(SIZE, REGISTERS - 1);
	y.extension_hash = 7;
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	request.rule.verify.same_extension = true;
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	y.extension_hash = x.extension_hash;
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	request.rule.verify.mode = VERIFY_NO;
	request.rule.verify.same_extension = false;
	y.extension_hash = 7; /* the key is skew_ext */
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	end_request();
}

/* ---- By sketches alone ---- */

/* The counts are so different that they do not make a pair. */
static void set_counts_apart(void)
{
	x.table.count[3] = SIZE / 2;
}

/* No key is needed, since the chosen registers need not make one. */
static bool propose(void)
{
	relation = (struct relation){.distance = 0};
	return verify_by_keys(&request.rule.verify, false, &x, &y, &relation);
}

static void the_sketches_decide_regardless_of_the_counts(void **state)
{
	int enough = registers_for(0.65);

	(void)state;
	begin_request("5");
	make_files(SIZE, enough);
	set_counts_apart();
	assert_true(propose());
	assert_true(relation.verification == PAIR_SKETCH && !relation.is_part);
	assert_int_equal(relation.distance, SIZE / 2);
	expect_near(relation.resemblance, resemblance_of(enough), 1e-9);
	assert_false(rule_matches_by_counts(&request.rule, &x, &y, &relation));
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	make_files(SIZE, enough - 1);
	set_counts_apart();
	assert_false(propose());
	/* Small files need more. */
	make_files(1023, registers_for(0.8));
	assert_true(propose());
	make_files(1023, registers_for(0.8) - 1);
	assert_false(propose());
	end_request();
}

/* The first registers agree, and so do the keys of four registers. */
static void the_sketches_must_share_a_key(void **state)
{
	(void)state;
	begin_request("5");
	/* Without a common key, at most 96 of 128 registers agree. */
	request.rule.verify.min_resemblance = 0.5;
	make_files(SIZE, REGISTERS);
	set_counts_apart();
	for (int key = 0; key < REGISTERS; key += 4)
		y.sketch.registers[key]++;
	assert_true(propose());
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	y.sketch.registers[0]--;
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	request.rule.verify.by_keys = false;
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	end_request();
}

static void a_minimum_that_is_given_also_holds_for_them(void **state)
{
	(void)state;
	begin_request("5");
	request.rule.verify.min_resemblance = 0.5;
	make_files(SIZE, registers_for(0.5));
	set_counts_apart();
	assert_true(propose());
	make_files(SIZE, registers_for(0.5) - 1);
	set_counts_apart();
	assert_false(propose());
	request.rule.verify.min_resemblance = 1;
	make_files(SIZE, REGISTERS - 1);
	assert_false(propose());
	make_files(SIZE, REGISTERS);
	assert_true(propose());
	end_request();
}

/* The number of counted tags limits how far a search must look. */
static void the_numbers_of_tags_are_within_the_ratio_and_a_quarter(void **state)
{
	(void)state;
	begin_request("5");
	for (int beyond = 0; beyond < 2; beyond++) {
		make_files(SIZE, REGISTERS);
		x.uniform = 40000;
		y.uniform = 40000 * 21 / 10 * 5 / 4 + 64 + beyond;
		assert_int_equal(propose(), !beyond);
		assert_int_equal(rule_end_reach(&request.rule, &x), y.uniform - beyond - 40000);
	}
	end_request();
}

static void proposals_need_sketches_that_tell_and_the_extension_asked_for(void **state)
{
	(void)state;
	begin_request("5");
	for (int i = 0; i < 6; i++) {
		make_files(SIZE, REGISTERS - 1);
		set_counts_apart();
		request.rule.verify.same_extension = i == 4;
		if (i == 0)
			x.has_sketch = false;
		else if (i == 1)
			y.has_sketch = false;
		else if (i == 2)
			memset(x.sketch.registers, 0, REGISTERS);
		else if (i >= 4)
			y.extension_hash = 7;
		if (i == 2)
			memset(y.sketch.registers, 0, REGISTERS);
		assert_int_equal(propose(), i == 3 || i == 5);
	}
	end_request();
}

/*
 * Eight more contents have the first 100 registers. Pairs that share mainly these need other
 * evidence.
 */
static void common_content_alone_makes_no_pair(void **state)
{
	struct simhash_resemblance_sketch other;

	(void)state;
	begin_request("5");
	make_files(SIZE, 90);
	for (int i = 0; i < 8; i++) {
		other = x.sketch;
		memset(other.registers + 100, 201 + i, REGISTERS - 100);
		assert_true(rule_matches(&request.rule, &x, &y, &relation));
		common_content_add(request.rule.verify.common, &other);
		common_content_settle(request.rule.verify.common, 8);
	}
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	/* Two rare parts are not enough, and three are. */
	memcpy(y.sketch.registers + 100, x.sketch.registers + 100, 4);
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	memcpy(y.sketch.registers + 100, x.sketch.registers + 100, 6);
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	/* High resemblances and minima that are given need no other evidence. */
	make_files(SIZE, registers_for(0.75));
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	make_files(SIZE, 90);
	request.rule.verify.min_resemblance = 0.3;
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	/* In a large index, some parts are common by chance. */
	request.rule.verify.min_resemblance = GRADED;
	assert_false(rule_matches(&request.rule, &x, &y, &relation));
	common_content_settle(request.rule.verify.common, 65025);
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	common_content_settle(request.rule.verify.common, 8);
	common_content_clear(request.rule.verify.common);
	common_content_settle(request.rule.verify.common, 8);
	assert_true(rule_matches(&request.rule, &x, &y, &relation));
	end_request();
}

/* The smaller file is completely in the larger one: J = smaller / larger. */
static void expect_part(int64_t size_x, int64_t size_y, bool is_pair)
{
	double ratio = size_x < size_y ? (double)size_x / (double)size_y
				       : (double)size_y / (double)size_x;

	make_files(SIZE, registers_for(ratio));
	set_counts_apart();
	x.size_bytes = size_x;
	y.size_bytes = size_y;
	assert_int_equal(propose(), is_pair);
	if (!is_pair)
		return;
	assert_true(relation.is_part);
	expect_near(size_x < size_y ? relation.contained_a : relation.contained_b, 1, 0.02);
	expect_near(size_x < size_y ? relation.contained_b : relation.contained_a, ratio, 0.02);
}

static void set_ratio(int64_t millionths)
{
	request.rule.verify.size_ratio_millionths = millionths;
}

static void a_part_is_found_in_both_directions(void **state)
{
	(void)state;
	begin_request("5");
	expect_part(SIZE, SIZE * 8 / 5, true);
	expect_part(SIZE * 8 / 5, SIZE, true);
	expect_part(SIZE, SIZE * 2, true);
	expect_part(SIZE * 2, SIZE, true);
	/* The ratio of the sizes is at most 2.1, or the requested limit. */
	expect_part(SIZE, SIZE / 10 * 21, true);
	expect_part(SIZE, SIZE / 10 * 21 + 1, false);
	expect_part(SIZE / 10 * 21 + 1, SIZE, false);
	set_ratio(4 * SIMHASH_MILLION);
	expect_part(SIZE, SIZE * 4, true);
	expect_part(SIZE * 4 + 4, SIZE, false);
	set_ratio(3 * SIMHASH_MILLION / 2);
	expect_part(SIZE, SIZE * 8 / 5, false);
	/* Below a resemblance of 0.2 the share is noise. */
	set_ratio(10 * SIMHASH_MILLION);
	expect_part(SIZE, SIZE * 6, false);
	/* Small files share headers. */
	expect_part(2048, 4096, true);
	expect_part(2047, 4094, false);
	end_request();
}

/* The smaller file must have a share of 0.8 in the larger one. */
static void a_part_needs_most_of_the_smaller_file(void **state)
{
	(void)state;
	begin_request("5");
	/* The share of a file in a file of twice its size is J / (1 + J) * 3. */
	for (int agreeing = 0; agreeing < REGISTERS; agreeing++) {
		double resemblance = resemblance_of(agreeing);
		double share = resemblance / (1 + resemblance) * 3;
		make_files(SIZE, agreeing);
		set_counts_apart();
		y.size_bytes = 2 * SIZE;
		assert_int_equal(propose(), share >= 0.8);
		if (share >= 0.8) {
			/* Half of the larger file has no counterpart. */
			assert_true(relation.is_part);
			assert_true(relation.resemblance <= 0.5);
		}
	}
	end_request();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_minimum_is_graded_by_the_distance),
		cmocka_unit_test(equal_counts_of_random_bytes_are_no_evidence),
		cmocka_unit_test(a_minimum_that_is_given_holds_at_every_distance),
		cmocka_unit_test(before_reading_only_the_unrelated_are_dropped),
		cmocka_unit_test(to_read_all_every_candidate_is_kept),
		cmocka_unit_test(without_a_sketch_counts_and_extension_decide),
		cmocka_unit_test(small_files_need_more),
		cmocka_unit_test(where_sketches_cannot_tell_they_and_the_counts_must_agree),
		cmocka_unit_test(counts_of_mostly_one_byte_are_no_evidence),
		cmocka_unit_test(without_a_shingle_nothing_is_known),
		cmocka_unit_test(a_sketch_settles_what_is_clearly_above),
		cmocka_unit_test(identical_files_are_a_pair_whatever_else_holds),
		cmocka_unit_test(an_extension_decides_only_where_it_was_asked_to),
		cmocka_unit_test(the_sketches_decide_regardless_of_the_counts),
		cmocka_unit_test(the_sketches_must_share_a_key),
		cmocka_unit_test(a_minimum_that_is_given_also_holds_for_them),
		cmocka_unit_test(the_numbers_of_tags_are_within_the_ratio_and_a_quarter),
		cmocka_unit_test(proposals_need_sketches_that_tell_and_the_extension_asked_for),
		cmocka_unit_test(common_content_alone_makes_no_pair),
		cmocka_unit_test(a_part_is_found_in_both_directions),
		cmocka_unit_test(a_part_needs_most_of_the_smaller_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
