/*
 * Compares the pairs of sketches with brute force.
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

#include "random.h"
#include "simhash_measures.h"
#include "sketching.h"

static struct simhash_error error;

struct pair_log {
	uint8_t *seen; /* count * count: how often a pair was seen */
	size_t count, total;
};

static int log_pair(void *context, size_t a, size_t b, double similarity,
		    struct simhash_error *unused)
{
	struct pair_log *log = context;

	(void)unused;
	assert_true(a < b && b < log->count && similarity <= 1);
	log->seen[a * log->count + b]++;
	log->total++;
	return 0;
}

/* Families of texts; each member has a few words that the others do not have. */
static void write_text(char *text, size_t words, unsigned family, unsigned changes)
{
	uint64_t saved = random_seed(family * 7919u + 1);
	size_t at = 0;
	unsigned *numbers = malloc(words * sizeof *numbers);

	for (size_t i = 0; i < words; i++)
		numbers[i] = (unsigned)(next_random() % 5000);
	random_seed(saved);
	for (unsigned i = 0; i < changes; i++)
		numbers[next_random() % words] = (unsigned)(next_random() % 5000);
	for (size_t i = 0; i < words; i++)
		at += (size_t)sprintf(text + at, "w%u ", numbers[i]);
	free(numbers);
}

static void pairs_are_those_of_brute_force(void **state)
{
	static const struct {
		const char *measure;
		double least;
	} cases[] = {
		{"simhash64:words", 0.9}, {"simhash64:words", 0.875}, {"simhash128:words", 0.92},
		{"bottomk:words", 0.8},	  {"bottomk:words", 0.5},     {"bottomk:words,k=8", 0.75},
		{"minhash:words", 0.8},	  {"minhash:words", 0.5},     {"simhash64:words", 1}};
	enum { COUNT = 600 };
	static char text[20000];

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct simhash_measure *measure = measure_of(cases[c].measure);
		size_t size = simhash_measure_sketch_size(measure), expected = 0, lost = 0;
		uint8_t *sketches = malloc(COUNT * size);
		struct pair_log log = {calloc(COUNT, COUNT), COUNT, 0};
		for (unsigned i = 0; i < COUNT; i++) {
			write_text(text, 40 + i % 60 * 10, i % 60, (unsigned)(next_random() % 80));
			sketch_of(cases[c].measure, text, strlen(text), sketches + i * size);
		}
		assert_int_equal(simhash_sketch_pairs(measure, sketches, COUNT, cases[c].least,
						      log_pair, &log, &error),
				 0);
		for (size_t a = 0; a < COUNT; a++)
			for (size_t b = a + 1; b < COUNT; b++) {
				bool is_pair =
					simhash_sketch_similarity(measure, sketches + a * size,
								  sketches + b * size,
								  NULL) >= cases[c].least - 1e-12;
				unsigned times = log.seen[a * COUNT + b];
				expected += is_pair;
				lost += is_pair && times == 0;
				if (times > 1 || (times == 1 && !is_pair))
					fail_msg("%s: a pair %u times", cases[c].measure, times);
			}
		assert_true(expected > 20 || cases[c].least == 1);
		if (strncmp(cases[c].measure, "minhash", 7) == 0 ? lost * 500 > expected : lost > 0)
			fail_msg("%s: %zu of %zu pairs lost", cases[c].measure, lost, expected);
		free(log.seen);
		free(sketches);
		simhash_measure_free(measure);
	}
}

/* If all files share much, such as a license, all are compared with each other. */
static void crowded_sketches_lose_no_pair(void **state)
{
	enum { COUNT = 400 };
	static char text[20000];
	struct simhash_measure *measure = measure_of("minhash:words");
	size_t size = simhash_measure_sketch_size(measure), expected = 0;
	uint8_t *sketches = malloc(COUNT * size);
	struct pair_log log = {calloc(COUNT, COUNT), COUNT, 0};

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		size_t at = 0;
		for (unsigned w = 0; w < 200; w++)
			at += (size_t)sprintf(text + at, "common%u ", w);
		for (unsigned w = 0; w < 120 + i % 60; w++)
			at += (size_t)sprintf(text + at, "own%ux%u ", i / 2, w + i % 2 * 20);
		sketch_of("minhash:words", text, at, sketches + i * size);
	}
	assert_int_equal(
		simhash_sketch_pairs(measure, sketches, COUNT, 0.5, log_pair, &log, &error), 0);
	for (size_t a = 0; a < COUNT; a++)
		for (size_t b = a + 1; b < COUNT; b++) {
			bool is_pair = simhash_sketch_similarity(measure, sketches + a * size,
								 sketches + b * size, NULL) >= 0.5;
			expected += is_pair;
			assert_int_equal(log.seen[a * COUNT + b], is_pair);
		}
	if (expected < COUNT / 4 || expected > COUNT * COUNT / 8)
		fail_msg("%zu pairs are too few for a test", expected);
	free(log.seen);
	free(sketches);
	simhash_measure_free(measure);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_brute_force),
		cmocka_unit_test(crowded_sketches_lose_no_pair),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
