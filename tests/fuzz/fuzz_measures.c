/*
 * Fuzzes the measures: any text of a measure is refused with a message, or makes a measure whose
 * canonical text makes the same measure. A sketch does not depend on the cuts of its stream; ASCII
 * is divided into words as by the Unicode library; two contents have as much in common as in a
 * simple table; pairs of fingerprints are the same as by brute force.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "measure/features.h"
#include "simhash_measures.h"

#define BYTES_MAX 20000
#define LCS_MAX 400
#define FINGERPRINTS_MAX 700

static struct simhash_error error;

static struct simhash_measure *make_measure(const char *text)
{
	struct simhash_measure *measure, *again;

	error.message[0] = '\0';
	if (simhash_measure_new(text, &measure, &error) != 0) {
		EXPECT(error.message[0] != '\0');
		return NULL;
	}
	EXPECT(simhash_measure_new(simhash_measure_text(measure), &again, &error) == 0);
	EXPECT(strcmp(simhash_measure_text(measure), simhash_measure_text(again)) == 0);
	EXPECT(simhash_measure_sketch_size(measure) <= SIMHASH_SKETCH_MAX);
	simhash_measure_free(again);
	return measure;
}

static void sketch_cut(const struct simhash_measure *measure, struct input *in)
{
	uint8_t whole[SIMHASH_SKETCH_MAX], parts[SIMHASH_SKETCH_MAX], cuts[8];
	struct simhash_sketcher *sketcher;
	uint64_t features, features_of_parts;
	size_t size, at = 0;
	uint8_t *bytes;
	double similarity, deviation;

	for (int i = 0; i < 8; i++)
		cuts[i] = take_byte(in);
	bytes = take_expanded(in, BYTES_MAX, &size);
	EXPECT(simhash_sketcher_new(measure, &sketcher, &error) == 0);
	simhash_sketcher_update(sketcher, bytes, size);
	EXPECT(simhash_sketcher_finish(sketcher, whole, sizeof whole, &features, &error) == 0);
	for (unsigned i = 0; at < size; i++) {
		/* A separate block, so that reading beyond it is noticed. */
		size_t part = (size_t)cuts[i % 8] * cuts[i % 8] + 1;
		uint8_t *piece;
		part = part < size - at ? part : size - at;
		piece = malloc(part);
		EXPECT(piece != NULL);
		memcpy(piece, bytes + at, part);
		simhash_sketcher_update(sketcher, piece, part);
		free(piece);
		at += part;
	}
	EXPECT(simhash_sketcher_finish(sketcher, parts, sizeof parts, &features_of_parts, &error) ==
	       0);
	EXPECT(features_of_parts == features);
	EXPECT(memcmp(whole, parts, simhash_measure_sketch_size(measure)) == 0);
	similarity = simhash_sketch_similarity(measure, whole, parts, &deviation);
	EXPECT(features == 0 || similarity == 1);
	EXPECT(deviation >= 0 && deviation <= 1);
	simhash_sketcher_free(sketcher);
	free(bytes);
}

/* ---- Words ---- */

struct word_sum {
	uint64_t sum, count;
};

static void add_word(void *context, const char *word, size_t size)
{
	struct word_sum *sum = context;

	EXPECT(size > 0);
	for (size_t i = 0; i < size; i++)
		sum->sum = sum->sum * 31 + (uint8_t)word[i];
	sum->sum = sum->sum * 31 + ' ';
	sum->count++;
}

static void split_both_ways(struct input *in)
{
	struct word_sum fast = {0, 0}, slow = {0, 0};
	size_t size;
	uint8_t *bytes = take_expanded(in, 3000, &size);

	for (size_t i = 0; i < size; i++)
		bytes[i] &= 0x7f;
	split_ascii_words((const char *)bytes, size, add_word, &fast);
	split_unicode_words((const char *)bytes, size, add_word, &slow);
	EXPECT(fast.count == slow.count && fast.sum == slow.sum);
	free(bytes);
}

/* ---- Two contents ---- */

static uint64_t plain_lcs(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint64_t row[LCS_MAX + 1] = {0};

	for (size_t i = 0; i < n; i++) {
		uint64_t diagonal = 0;
		for (size_t k = 0; k < m; k++) {
			uint64_t above = row[k + 1];
			if (a[i] == b[k])
				row[k + 1] = diagonal + 1;
			else if (row[k] > above)
				row[k + 1] = row[k];
			diagonal = above;
		}
	}
	return row[m];
}

static void compare_contents(struct input *in)
{
	size_t half = take_byte(in) * 2u, n, m;
	struct input first = {in->at, half < in->left ? half : in->left};
	struct input second = {in->at + first.left, in->left - first.left};
	uint8_t *a = take_expanded(&first, LCS_MAX, &n), *b = take_expanded(&second, LCS_MAX, &m);
	struct simhash_lcs_lines lines;
	struct simhash_overlap o;
	uint64_t length;

	EXPECT(simhash_lcs_bytes(a, n, b, m, 0, &length, &error) == 0);
	EXPECT(length == plain_lcs(a, n, b, m));
	EXPECT(simhash_lcs_lines(a, n, b, m, 0, &lines, &error) == 0);
	EXPECT(lines.common <= lines.lines_a && lines.common <= lines.lines_b);
	EXPECT(simhash_overlap("words", a, n, b, m, &o, &error) == 0);
	EXPECT(o.a + o.b == o.both + o.either && o.bag_a + o.bag_b == o.bag_both + o.bag_either);
	EXPECT(simhash_overlap("bytes=8", a, n, b, m, &o, &error) == 0);
	EXPECT(o.a + o.b == o.both + o.either && o.bag_a + o.bag_b == o.bag_both + o.bag_either);
	free(a);
	free(b);
}

/* ---- Fingerprints ---- */

struct near {
	uint64_t pairs, sum;
};

static int add_pair(void *context, size_t a, size_t b, unsigned distance,
		    struct simhash_error *unused)
{
	struct near *near = context;

	(void)unused;
	(void)distance;
	near->pairs++;
	near->sum += (a < b ? a * 1000003 + b : b * 1000003 + a) * UINT64_C(0x9e3779b97f4a7c15);
	return 0;
}

static void search(struct input *in)
{
	unsigned k = take_byte(in) % 9;
	uint64_t fingerprints[FINGERPRINTS_MAX] = {0}, mask = take_number(in, 8), state;
	size_t count = take_number(in, 2) % FINGERPRINTS_MAX;
	struct near found = {0, 0}, expected = {0, 0};

	state = take_number(in, 8);
	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + take_byte(in);
		fingerprints[i] = (state ^ state >> 29) & mask;
	}
	EXPECT(simhash_hamming_pairs(fingerprints, count, k, add_pair, &found, &error) == 0);
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if (__builtin_popcountll(fingerprints[i] ^ fingerprints[j]) <= (int)k)
				add_pair(&expected, i, j, 0, NULL);
	EXPECT(found.pairs == expected.pairs && found.sum == expected.sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct simhash_measure *measure;
	char *text;

	switch (take_byte(&in) % 4) {
	case 0:
		text = take_text(&in, take_byte(&in));
		measure = make_measure(text);
		if (measure != NULL)
			sketch_cut(measure, &in);
		simhash_measure_free(measure);
		free(text);
		break;
	case 1:
		split_both_ways(&in);
		break;
	case 2:
		compare_contents(&in);
		break;
	default:
		search(&in);
		break;
	}
	return 0;
}
