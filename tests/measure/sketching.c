/*
 * Makes contents, measures and sketches for the tests of measures.
 * SPDX-License-Identifier: MIT
 */
#include "sketching.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

static struct simhash_error error;

struct simhash_measure *measure_of(const char *text)
{
	struct simhash_measure *measure;

	if (simhash_measure_new(text, &measure, &error) != 0)
		fail_msg("%s: %s", text, error.message);
	return measure;
}

struct simhash_measure *measure_weighted(const char *text, const char *lines)
{
	struct simhash_weights *weights;
	struct simhash_measure *measure;

	assert_int_equal(simhash_weights_parse(lines, strlen(lines), "weights", &weights, &error),
			 0);
	assert_int_equal(simhash_measure_new_weighted(text, weights, &measure, &error), 0);
	simhash_weights_free(weights);
	return measure;
}

/* The sketch of some bytes at once, and the number of their features. */
uint64_t sketch_by(const struct simhash_measure *measure, const void *bytes, size_t size,
		   uint8_t *sketch)
{
	struct simhash_sketcher *sketcher;
	uint64_t features;

	assert_int_equal(simhash_sketcher_new(measure, &sketcher, &error), 0);
	simhash_sketcher_update(sketcher, bytes, size);
	assert_int_equal(simhash_sketcher_finish(sketcher, sketch,
						 simhash_measure_sketch_size(measure), &features,
						 &error),
			 0);
	simhash_sketcher_free(sketcher);
	return features;
}

uint64_t sketch_of(const char *text, const void *bytes, size_t size, uint8_t *sketch)
{
	struct simhash_measure *measure = measure_of(text);
	uint64_t features = sketch_by(measure, bytes, size, sketch);

	simhash_measure_free(measure);
	return features;
}

uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[i];
	return number;
}

/* Text with long lines and other scripts, and bytes that are not text. */
size_t make_bytes(uint8_t *bytes, size_t size)
{
	static const char *const words[] = {"alpha", "beta,", "\xd0\xbc\xd0\xb8\xd1\x80",
					    "x",     "\n",    "\xff\xc3",
					    "3.5",   "don't"};

	for (size_t at = 0; at < size;) {
		const char *word = words[next_random() % 8];
		size_t length = strlen(word);
		if (next_random() % 50 == 0) {
			bytes[at++] = (uint8_t)next_random();
			continue;
		}
		for (size_t i = 0; i < length && at < size; i++)
			bytes[at++] = (uint8_t)word[i];
		if (at < size && next_random() % 8 != 0)
			bytes[at++] = ' ';
	}
	return size;
}

/*
 * Contents of all kinds: 0 text and similar, 1 random, 2 one repeated byte, 3 a short repeated
 * pattern, 4 random with long runs.
 */
void make_content(uint8_t *bytes, size_t size, int kind)
{
	size_t period = 2 + next_random() % 60;

	if (kind == 0)
		make_bytes(bytes, size);
	for (size_t i = 0; kind > 0 && i < size; i++)
		bytes[i] = kind == 2 || (kind == 3 && i < period) || i == 0
				   ? (uint8_t)(i == 0 || kind == 3 ? next_random() : bytes[0])
			   : kind == 3 || (kind == 4 && next_random() % 64 != 0)
				   ? bytes[i - (kind == 3 ? period : 1)]
				   : (uint8_t)next_random();
}

/* Words of two sets with a known Jaccard index, in any order, each any number of times. */
size_t write_set(char *text, unsigned from, unsigned to, unsigned repeats)
{
	unsigned count = (to - from) * repeats, *order = malloc(count * sizeof *order);
	size_t at = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = (unsigned)(next_random() % (i + 1));
		order[i] = order[k];
		order[k] = from + i % (to - from);
	}
	for (unsigned i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "w%u ", order[i]);
	free(order);
	return at;
}
