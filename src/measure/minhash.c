/*
 * MinHash with k hash functions (A. Broder, 1997): the chance that the least value of a
 * function is the same for two sets is their Jaccard index.
 *
 * Computing k functions of every feature would cost k times as much as one. SuperMinHash
 * (O. Ertl, arXiv:1706.05698) has each feature draw, from a random number generator that its
 * hash seeds, a random order of the k values and rising numbers for them: r_0 for the first,
 * 1 + r_1 for the second, and so on. Once every value has got a number below 1, only a
 * feature's first draw can matter, and once these have become small, hardly any does. The
 * estimate is that of k independent functions, with a smaller variance for small sets.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "measure/measure.h"

#define FUNCTIONS_MAX 1024
#define RECENT 1024 /* features remembered while the values still fill */
#define VALUE_BYTES 2

struct state {
	unsigned shift; /* 2^shift functions */
	unsigned level; /* the highest whole part that a value has */
	uint64_t value
		[FUNCTIONS_MAX]; /* whole part in the highest `shift` bits, then the fraction */
	uint32_t at_level[FUNCTIONS_MAX]; /* how many values have it as whole part */
	/* The order that a feature draws: made as far as it is needed. */
	uint16_t order[FUNCTIONS_MAX];
	uint64_t made_for[FUNCTIONS_MAX]; /* the feature, by its number */
	uint64_t features;
	uint64_t limit; /* fractions from here on change nothing, once level is 0 */
	uint64_t recent[RECENT];
};

static void begin(const struct simhash_measure *measure, void *context)
{
	struct state *state = context;
	unsigned functions = measure->number[NUMBER_FUNCTIONS];

	memset(state, 0, sizeof *state);
	state->shift = (unsigned)__builtin_ctz(functions);
	state->level = functions - 1;
	state->at_level[state->level] = functions;
	memset(state->value, 0xff, sizeof state->value);
}

static inline uint16_t *order_at(struct state *state, unsigned at)
{
	if (state->made_for[at] != state->features) {
		state->made_for[at] = state->features;
		state->order[at] = (uint16_t)at;
	}
	return &state->order[at];
}

static void lower_value(struct state *state, unsigned function, unsigned level, uint64_t value)
{
	unsigned before = (unsigned)(state->value[function] >> (64 - state->shift));

	state->value[function] = value;
	if (level >= before)
		return;
	state->at_level[before]--;
	state->at_level[level]++;
	while (state->at_level[state->level] == 0)
		state->level--;
}

/* All draws of a feature that can matter. */
static void draw(struct state *state, uint64_t hash)
{
	unsigned functions = 1U << state->shift;
	uint64_t random = hash;

	state->features++;
	for (unsigned level = 0; level <= state->level; level++) {
		unsigned left = functions - level, pick;
		uint16_t *here, *there, function;
		uint64_t value;
		if (level > 0)
			random = mix_bits(random + UINT64_C(0x9e3779b97f4a7c15));
		pick = level == 0 ? (unsigned)random & (functions - 1)
				  : level + (unsigned)((mix_bits(random) >> 32) * left >> 32);
		here = order_at(state, level);
		there = order_at(state, pick);
		function = *there;
		*there = *here;
		*here = function;
		value = (uint64_t)level << (64 - state->shift) | random >> state->shift;
		if (value < state->value[function])
			lower_value(state, function, level, value);
	}
}

static void set_limit(struct state *state)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < 1U << state->shift; i++)
		largest = state->value[i] > largest ? state->value[i] : largest;
	state->limit = largest;
}

/* While values still fill, what comes again and again must not be drawn again and again. */
static size_t fill(struct state *state, const uint64_t *hashes, size_t count)
{
	size_t i = 0;

	for (; i < count && state->level > 0; i++) {
		uint64_t *recent = &state->recent[hashes[i] >> 54];
		if (*recent == hashes[i] && hashes[i] != 0)
			continue;
		*recent = hashes[i];
		draw(state, hashes[i]);
	}
	return i;
}

static inline void draw_first(struct state *state, uint64_t hash)
{
	unsigned function = (unsigned)hash & ((1U << state->shift) - 1);
	uint64_t value = hash >> state->shift;

	if (value < state->value[function])
		state->value[function] = value;
}

static void add(const struct simhash_measure *measure, void *context, uint64_t *hashes,
		uint64_t *second, size_t count)
{
	struct state *state = context;
	unsigned shift = state->shift;
	size_t i = fill(state, hashes, count);
	uint64_t limit;

	(void)measure;
	(void)second;
	if (i == count)
		return;
	set_limit(state);
	limit = state->limit;
	for (; i + 8 <= count; i += 8) {
		const uint64_t *h = hashes + i;
		unsigned any = 0;
		for (int k = 0; k < 8; k++)
			any |= h[k] >> shift < limit;
		if (__builtin_expect(any, 0) != 0)
			for (int k = 0; k < 8; k++)
				draw_first(state, h[k]);
	}
	for (; i < count; i++)
		draw_first(state, hashes[i]);
}

/* The low bits of a fraction are as random as before it was found to be the least. */
static bool finish(const struct simhash_measure *measure, void *context, uint8_t *sketch)
{
	const struct state *state = context;

	for (unsigned i = 0; i < measure->number[NUMBER_FUNCTIONS]; i++)
		write_big_endian(sketch + i * VALUE_BYTES, VALUE_BYTES,
				 state->value[i] +
					 (state->value[i] >> (64 - state->shift)) * 0x9e37);
	return true;
}

static size_t sketch_size(const struct simhash_measure *measure)
{
	return (size_t)measure->number[NUMBER_FUNCTIONS] * VALUE_BYTES;
}

static size_t state_size(const struct simhash_measure *measure)
{
	(void)measure;
	return sizeof(struct state);
}

static double similarity(const struct simhash_measure *measure, const uint8_t *a, const uint8_t *b,
			 double *deviation)
{
	static const double by_chance = 1.0 / 65536; /* of values that are different */
	unsigned functions = measure->number[NUMBER_FUNCTIONS], equal = 0;
	double share;

	for (unsigned i = 0; i < functions; i++)
		equal += a[2 * i] == b[2 * i] && a[2 * i + 1] == b[2 * i + 1];
	share = ((double)equal / functions - by_chance) / (1 - by_chance);
	share = share < 0 ? 0 : share;
	*deviation = jaccard_deviation(share, functions);
	return share;
}

static uint64_t combine(const uint8_t *values, unsigned count)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < count; i++)
		key = mix_bits(key + UINT64_C(0x9e3779b97f4a7c15) +
			       read_big_endian(values + i * VALUE_BYTES, VALUE_BYTES));
	return key;
}

static int64_t cluster(const struct simhash_measure *measure, const uint8_t *sketch)
{
	return (int64_t)combine(sketch, measure->number[NUMBER_CLUSTER]);
}

/* ---- Banding ---- */

/*
 * Values are cut into bands of `rows`; two sketches are candidates when all rows of one band are
 * the same. A pair of similarity s is none with a probability of (1 - s^rows)^bands. The
 * most rows are taken for which that is at most 1/1000 where pairs begin to count.
 */
static unsigned choose_rows(unsigned functions, double s)
{
	unsigned rows = 1;

	while (rows < functions && pow(1 - pow(s, rows + 1), functions / (rows + 1)) <= 0.001)
		rows++;
	return rows;
}

struct banding {
	const struct simhash_measure *measure;
	const uint8_t *sketches;
	size_t size;	  /* of a sketch */
	size_t band_size; /* in bytes */
	unsigned band;
	double min_similarity;
	simhash_pair_fn *pair;
	void *context;
};

static int take_candidate(const struct banding *b, size_t x, size_t y, struct simhash_error *error)
{
	const uint8_t *a = b->sketches + x * b->size, *c = b->sketches + y * b->size;
	double share, deviation;

	/* By chance only the hashes of the bands are the same, or an earlier band is. */
	if (memcmp(a + b->band * b->band_size, c + b->band * b->band_size, b->band_size) != 0)
		return 0;
	for (unsigned i = 0; i < b->band; i++)
		if (memcmp(a + i * b->band_size, c + i * b->band_size, b->band_size) == 0)
			return 0;
	share = similarity(b->measure, a, c, &deviation);
	if (share < b->min_similarity)
		return 0;
	return b->pair(b->context, x < y ? x : y, x < y ? y : x, share, error);
}

static int take_groups(const struct banding *banding, const struct sort_item *items, size_t count,
		       struct simhash_error *error)
{
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count && items[end].key == items[start].key;)
			end++;
		for (size_t i = start; i < end; i++)
			for (size_t k = i + 1; k < end; k++)
				if (take_candidate(banding, items[i].number, items[k].number,
						   error) != 0)
					return -1;
	}
	return 0;
}

static int pairs(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		 double min_similarity, simhash_pair_fn *pair, void *context,
		 struct simhash_error *error)
{
	unsigned functions = measure->number[NUMBER_FUNCTIONS];
	unsigned rows = choose_rows(functions, min_similarity);
	struct banding banding = {.measure = measure,
				  .sketches = sketches,
				  .size = sketch_size(measure),
				  .band_size = (size_t)rows * VALUE_BYTES,
				  .min_similarity = min_similarity,
				  .pair = pair,
				  .context = context};
	struct sort_item *items = malloc(count * sizeof *items);
	struct sort_item *scratch = malloc(count * sizeof *scratch);
	int status = items == NULL || scratch == NULL ? error_set_memory(error) : 0;

	for (; status == 0 && banding.band < functions / rows; banding.band++) {
		for (size_t i = 0; i < count; i++) {
			const uint8_t *band =
				sketches + i * banding.size + banding.band * banding.band_size;
			items[i] = (struct sort_item){combine(band, rows), i};
		}
		sort_items(items, scratch, count, 44);
		status = take_groups(&banding, items, count, error);
	}
	free(scratch);
	free(items);
	return status;
}

const struct measure_kind measure_minhash = {
	.name = "minhash",
	.standard = {[NUMBER_FUNCTIONS] = 128, [NUMBER_CLUSTER] = 4},
	.least_similarity = 0.5,
	.standard_similarity = 0.8,
	.sketch_size = sketch_size,
	.state_size = state_size,
	.begin = begin,
	.add = add,
	.finish = finish,
	.similarity = similarity,
	.cluster = cluster,
	.pairs = pairs,
};
