/*
 * Implements MinHash with k hash functions (A. Broder, 1997): the probability that the minimum of a
 * function is the same for two sets is their Jaccard index.
 *
 * Computing k functions of every feature would cost k times as much as one. In SuperMinHash (O.
 * Ertl, arXiv:1706.05698), each feature draws a random order of the k values and increasing numbers
 * for them, from a random number generator that its hash seeds: r_0 for the first, 1 + r_1 for the
 * second, and so on. As soon as every value has a number below 1, only the first draw of a feature
 * can matter. As these numbers become small, hardly any draw matters. The estimate is as good as
 * with k independent functions, and has a smaller variance for small sets.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/sort/sort.h"
#include "measure/measure.h"

#define FUNCTIONS_MAX 1024
/* The number of features that are remembered while some values are still empty. */
#define RECENT 1024
#define VALUE_BYTES 2
#define FEW_PASS 6 /* one in 2^6 features */

struct minhash_state {
	unsigned shift; /* there are 2^shift functions */
	unsigned level; /* the highest whole part of a value */
	uint64_t value
		/*
		 * The highest `shift` bits are the whole part, and the other bits are the fraction.
		 */
		[FUNCTIONS_MAX];
	uint32_t at_level[FUNCTIONS_MAX]; /* the number of values with this whole part */
	/* The order that a feature draws, computed as far as it is needed. */
	uint16_t order[FUNCTIONS_MAX];
	uint64_t made_for[FUNCTIONS_MAX]; /* the number of the feature */
	uint64_t features;
	uint64_t limit; /* at level 0, draws with this fraction or a larger one change nothing */
	uint64_t recent[RECENT];
};

static void begin(const struct simhash_measure *measure, void *context)
{
	struct minhash_state *state = context;
	unsigned functions = measure->number[NUMBER_FUNCTIONS];

	memset(state, 0, sizeof *state);
	state->shift = (unsigned)__builtin_ctz(functions);
	state->level = functions - 1;
	state->at_level[state->level] = functions;
	memset(state->value, 0xff, sizeof state->value);
}

static inline uint16_t *order_at(struct minhash_state *state, unsigned at)
{
	if (state->made_for[at] != state->features) {
		state->made_for[at] = state->features;
		state->order[at] = (uint16_t)at;
	}
	return &state->order[at];
}

static void lower_value(struct minhash_state *state, unsigned function, unsigned level,
			uint64_t value)
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

/* Make all draws of a feature that can matter. */
static void draw(struct minhash_state *state, uint64_t hash)
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

static void set_limit(struct minhash_state *state)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < 1U << state->shift; i++)
		largest = state->value[i] > largest ? state->value[i] : largest;
	state->limit = largest;
}

/* While the values are still filling, skip features that repeat. */
static size_t fill(struct minhash_state *state, const uint64_t *hashes, size_t count)
{
	size_t i = 0;

	for (; i < count && state->level > 0; i++) {
		uint64_t *recent = &state->recent[hashes[i] >> 54];
		if (i > 0 && i + 8 <= count && are_all(hashes + i, hashes[i - 1])) {
			i += 7;
			continue;
		}
		if (*recent == hashes[i] && hashes[i] != 0)
			continue;
		*recent = hashes[i];
		draw(state, hashes[i]);
	}
	return i;
}

static inline void draw_first(struct minhash_state *state, uint64_t hash)
{
	unsigned function = (unsigned)hash & ((1U << state->shift) - 1);
	uint64_t value = hash >> state->shift;

	if (value < state->value[function])
		state->value[function] = value;
}

static void add(const struct simhash_measure *measure, void *context, uint64_t *hashes,
		uint64_t *second, size_t count)
{
	struct minhash_state *state = context;
	unsigned shift = state->shift;
	size_t i = fill(state, hashes, count);
	uint64_t limit;

	(void)measure;
	(void)second;
	if (i == count)
		return;
	set_limit(state);
	limit = state->limit;
	/*
	 * If one of eight features often passes, the processor cannot predict the check, and it
	 * costs more than it saves.
	 */
	if (limit >> (64 - shift - FEW_PASS) != 0)
		for (; i < count; i++)
			draw_first(state, hashes[i]);
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

/* The low bits of a minimum are still random. */
static bool finish(const struct simhash_measure *measure, void *context, uint8_t *sketch)
{
	const struct minhash_state *state = context;

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
	return sizeof(struct minhash_state);
}

typedef uint16_t stored_value __attribute__((aligned(1), may_alias));

static unsigned count_equal(const uint8_t *a, const uint8_t *b, unsigned functions)
{
	const stored_value *x = (const stored_value *)a, *y = (const stored_value *)b;
	unsigned equal = 0;

	for (unsigned i = 0; i < functions; i++)
		equal += x[i] == y[i];
	return equal;
}

static double share_of(unsigned equal, unsigned functions)
{
	/* The probability that different values agree. */
	static const double by_chance = 1.0 / 65536;
	double share = ((double)equal / functions - by_chance) / (1 - by_chance);

	return share < 0 ? 0 : share;
}

static double similarity(const struct simhash_measure *measure, const uint8_t *a, const uint8_t *b,
			 double *deviation)
{
	unsigned functions = measure->number[NUMBER_FUNCTIONS];
	double share = share_of(count_equal(a, b, functions), functions);

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
 * Cut values into bands of `rows`. Two sketches are candidates if all rows of one band are equal. A
 * pair of similarity s is missed with a probability of (1 - s^rows)^bands. Returns the largest
 * number of rows for which this is at most 1/1000 at the minimum similarity.
 */
static unsigned choose_rows(unsigned functions, double s)
{
	for (unsigned rows = 2; rows <= functions; rows++) {
		unsigned bands = functions / rows;
		if (pow(1 - pow(s, rows), bands) > 0.001)
			return rows - 1;
	}
	return functions;
}

struct banding {
	const uint8_t *sketches;
	unsigned functions, band;
	size_t size;	  /* the size of a sketch */
	size_t band_size; /* in bytes */
	double min_similarity;
	simhash_pair_fn *pair;
	void *context;
};

static int take_similar(const struct banding *b, size_t x, size_t y, unsigned equal,
			struct simhash_error *error)
{
	return b->pair(b->context, x < y ? x : y, x < y ? y : x, share_of(equal, b->functions),
		       error);
}

static bool is_same_band(const struct banding *b, const uint8_t *x, const uint8_t *y, unsigned band)
{
	return memcmp(x + band * b->band_size, y + band * b->band_size, b->band_size) == 0;
}

static int take_candidate(const struct banding *b, size_t x, size_t y, struct simhash_error *error)
{
	const uint8_t *a = b->sketches + x * b->size, *c = b->sketches + y * b->size;
	unsigned equal = count_equal(a, c, b->functions);

	if (share_of(equal, b->functions) < b->min_similarity)
		return 0;
	/*
	 * Skip the pair if the bands differ and only their hashes are equal. Also skip it if an
	 * earlier band is equal, because that band has found the pair.
	 */
	if (!is_same_band(b, a, c, b->band))
		return 0;
	for (unsigned i = 0; i < b->band; i++)
		if (is_same_band(b, a, c, i))
			return 0;
	return take_similar(b, x, y, equal, error);
}

static size_t group_end(const struct sort_item *items, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && items[end].key == items[start].key)
		end++;
	return end;
}

static int take_groups(const struct banding *banding, const struct sort_item *items, size_t count,
		       struct simhash_error *error)
{
	for (size_t start = 0, end; start < count; start = end) {
		end = group_end(items, start, count);
		for (size_t i = start; i < end; i++)
			for (size_t k = i + 1; k < end; k++)
				if (take_candidate(banding, items[i].number, items[k].number,
						   error) != 0)
					return -1;
	}
	return 0;
}

/*
 * If many files share much, such as a licence, most pairs agree in several bands. Comparing all
 * pairs is then cheaper, because a candidate costs several times as much.
 */
static bool is_crowded(const struct sort_item *items, size_t count, unsigned bands)
{
	double pairs = 0, all = (double)count * (double)(count - 1) / 2;

	for (size_t start = 0, end; start < count; start = end) {
		end = group_end(items, start, count);
		pairs += (double)(end - start) * (double)(end - start - 1) / 2;
	}
	return 2 * pairs * bands > all;
}

/* The number of sketches that stay in the cache while all others are compared with them. */
#define ROWS_AT_ONCE 64

static int compare_all(const struct banding *b, size_t count, struct simhash_error *error)
{
	for (size_t first = 0; first < count; first += ROWS_AT_ONCE)
		for (size_t k = first + 1; k < count; k++)
			for (size_t i = first; i < k && i < first + ROWS_AT_ONCE; i++) {
				unsigned equal = count_equal(b->sketches + i * b->size,
							     b->sketches + k * b->size,
							     b->functions);
				if (share_of(equal, b->functions) >= b->min_similarity &&
				    take_similar(b, i, k, equal, error) != 0)
					return -1;
			}
	return 0;
}

static int pairs(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		 double min_similarity, simhash_pair_fn *pair, void *context,
		 struct simhash_error *error)
{
	unsigned functions = measure->number[NUMBER_FUNCTIONS];
	unsigned rows = choose_rows(functions, min_similarity), bands = functions / rows;
	struct banding banding = {.sketches = sketches,
				  .functions = functions,
				  .size = sketch_size(measure),
				  .band_size = (size_t)rows * VALUE_BYTES,
				  .min_similarity = min_similarity,
				  .pair = pair,
				  .context = context};
	struct sort_item *items = malloc(count * sizeof *items);
	struct sort_item *scratch = malloc(count * sizeof *scratch);
	int status = items == NULL || scratch == NULL ? error_set_memory(error) : 0;

	for (; status == 0 && banding.band < bands; banding.band++) {
		for (size_t i = 0; i < count; i++) {
			const uint8_t *band =
				sketches + i * banding.size + banding.band * banding.band_size;
			items[i] = (struct sort_item){combine(band, rows), i};
		}
		sort_items(items, scratch, count, 44);
		if (banding.band == 0 && is_crowded(items, count, bands)) {
			status = compare_all(&banding, count, error);
			break;
		}
		status = take_groups(&banding, items, count, error);
	}
	free(scratch);
	free(items);
	return status;
}

const struct measure_kind measure_minhash = {
	.name = "minhash",
	.default_number = {[NUMBER_FUNCTIONS] = 128, [NUMBER_CLUSTER] = 4},
	.min_similarity = 0.5,
	.default_similarity = 0.8,
	.sketch_size = sketch_size,
	.state_size = state_size,
	.begin = begin,
	.add = add,
	.finish = finish,
	.similarity = similarity,
	.cluster = cluster,
	.pairs = pairs,
};
