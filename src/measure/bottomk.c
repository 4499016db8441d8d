/*
 * Implements bottom-k sketches: the k smallest values of one hash function (A. Broder, 1997). Among
 * the k smallest values of both sets together, the share of values in both sets estimates the
 * Jaccard index. The sketch of a set with fewer than k features has the whole set, and its
 * comparison is exact.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/sort/sort.h"
#include "measure/measure.h"

#define K_MAX 1024
#define VALUE_BYTES 8
#define NO_VALUE UINT64_MAX /* a feature with this hash is ignored; only one in 2^64 has it */

struct bottomk_state {
	size_t count, k;
	uint64_t last;	       /* the last inserted value, to detect repetitions early */
	uint64_t value[K_MAX]; /* sorted, without duplicates */
};

static void begin(const struct simhash_measure *measure, void *context)
{
	struct bottomk_state *state = context;

	state->count = 0;
	state->last = NO_VALUE;
	state->k = measure->number[NUMBER_K];
}

static uint64_t limit_of(const struct bottomk_state *state)
{
	return state->count < state->k ? NO_VALUE : state->value[state->count - 1];
}

static void insert(struct bottomk_state *state, uint64_t hash)
{
	size_t low = 0, high = state->count;

	if (hash == state->last)
		return;
	state->last = hash;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (state->value[middle] < hash)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < state->count && state->value[low] == hash)
		return;
	if (state->count < state->k)
		state->count++;
	memmove(state->value + low + 1, state->value + low,
		(state->count - 1 - low) * sizeof *state->value);
	state->value[low] = hash;
}

static void add(const struct simhash_measure *measure, void *context, uint64_t *hashes,
		uint64_t *second, size_t count)
{
	struct bottomk_state *state = context;
	uint64_t limit = limit_of(state);
	size_t i = 0;

	(void)measure;
	(void)second;
	for (; i + 8 <= count; i += 8) {
		const uint64_t *h = hashes + i;
		unsigned any = 0;
		for (int k = 0; k < 8; k++)
			any |= h[k] < limit;
		if (__builtin_expect(any, 0) == 0 || are_all(h, state->last))
			continue;
		for (int k = 0; k < 8; k++)
			if (h[k] < limit) {
				insert(state, h[k]);
				limit = limit_of(state);
			}
	}
	for (; i < count; i++)
		if (hashes[i] < limit) {
			insert(state, hashes[i]);
			limit = limit_of(state);
		}
}

static bool finish(const struct simhash_measure *measure, void *context, uint8_t *sketch)
{
	const struct bottomk_state *state = context;

	(void)measure;
	for (size_t i = 0; i < state->k; i++)
		write_big_endian(sketch + i * VALUE_BYTES, VALUE_BYTES,
				 i < state->count ? state->value[i] : NO_VALUE);
	return true;
}

static size_t sketch_size(const struct simhash_measure *measure)
{
	return (size_t)measure->number[NUMBER_K] * VALUE_BYTES;
}

static size_t state_size(const struct simhash_measure *measure)
{
	(void)measure;
	return sizeof(struct bottomk_state);
}

static inline uint64_t value_at(const uint8_t *sketch, size_t i)
{
	return read_big_endian(sketch + i * VALUE_BYTES, VALUE_BYTES);
}

static double similarity(const struct simhash_measure *measure, const uint8_t *a, const uint8_t *b,
			 double *deviation)
{
	size_t k = measure->number[NUMBER_K], i = 0, j = 0;
	unsigned both = 0, either = 0;
	double share;

	while (either < k) {
		uint64_t x = i < k ? value_at(a, i) : NO_VALUE;
		uint64_t y = j < k ? value_at(b, j) : NO_VALUE;
		if (x == NO_VALUE && y == NO_VALUE)
			break;
		either++;
		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	share = either == 0 ? 0 : (double)both / either;
	/* Sketches with fewer than k values have all features, so the share is exact. */
	*deviation = either < k ? 0 : jaccard_deviation(share, either);
	return share;
}

static int64_t cluster(const struct simhash_measure *measure, const uint8_t *sketch)
{
	uint64_t key = 0;

	for (size_t i = 0; i < measure->number[NUMBER_CLUSTER]; i++)
		if (value_at(sketch, i) != NO_VALUE)
			key ^= value_at(sketch, i);
	return (int64_t)key;
}

/* ---- Pairs ---- */

/*
 * Two sketches of similarity s share at least a share s of the values of each. So in any order of
 * all values, the first shared value is among the first c - ceil(s * c) + 1 of the c values of each
 * sketch. The rarest values come first, because few other sketches have them.
 */
struct rare_values {
	uint64_t *values; /* the values of all sketches, one after another */
	size_t *starts;	  /* has count + 1 items */
	/* the number of sketches with values of this hash; not exact, but consistent */
	uint32_t *common;
};

#define COMMON_BITS 22

static uint32_t *common_of(const struct rare_values *rare, uint64_t value)
{
	return &rare->common[mix_bits(value) >> (64 - COMMON_BITS)];
}

static size_t values_of(const uint8_t *sketch, size_t k, uint64_t *values)
{
	size_t count = 0;

	/*
	 * The values of a valid sketch increase. A damaged sketch is read up to the first value
	 * that does not.
	 */
	while (count < k && (values[count] = value_at(sketch, count)) != NO_VALUE &&
	       (count == 0 || values[count] > values[count - 1]))
		count++;
	return count;
}

static bool comes_before(const struct rare_values *rare, uint64_t x, uint64_t y)
{
	uint32_t common_x = *common_of(rare, x), common_y = *common_of(rare, y);

	return common_x != common_y ? common_x < common_y : x < y;
}

static void sort_rarest_first(const struct rare_values *rare, uint64_t *values, size_t count)
{
	for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (size_t i = gap; i < count; i++) {
			uint64_t value = values[i];
			size_t at = i;
			for (; at >= gap && comes_before(rare, value, values[at - gap]); at -= gap)
				values[at] = values[at - gap];
			values[at] = value;
		}
}

static int find_rare(const uint8_t *sketches, size_t count, size_t k, double min_similarity,
		     struct rare_values *rare, struct simhash_error *error)
{
	uint64_t values[K_MAX];
	size_t total = 0;

	rare->common = calloc((size_t)1 << COMMON_BITS, sizeof *rare->common);
	rare->starts = malloc((count + 1) * sizeof *rare->starts);
	if (rare->common == NULL || rare->starts == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		size_t have = values_of(sketches + i * k * VALUE_BYTES, k, values);
		for (size_t j = 0; j < have; j++)
			++*common_of(rare, values[j]);
		rare->starts[i] = total;
		if (have > 0)
			total += have - (size_t)ceil(min_similarity * (double)have - 1e-9) + 1;
	}
	rare->starts[count] = total;
	rare->values = malloc((total + 1) * sizeof *rare->values);
	if (rare->values == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		size_t have = values_of(sketches + i * k * VALUE_BYTES, k, values);
		sort_rarest_first(rare, values, have);
		memcpy(rare->values + rare->starts[i], values,
		       (rare->starts[i + 1] - rare->starts[i]) * sizeof *values);
	}
	return 0;
}

/* Is this the first value that both have among their rare values? */
static bool is_first_shared(const struct rare_values *rare, size_t a, size_t b, uint64_t value)
{
	size_t i = rare->starts[a], k = rare->starts[b];

	while (rare->values[i] != rare->values[k])
		if (comes_before(rare, rare->values[i], rare->values[k]))
			i++;
		else
			k++;
	return rare->values[i] == value;
}

static int take_group(const struct simhash_measure *measure, const uint8_t *sketches,
		      const struct rare_values *rare, const struct sort_item *items, size_t count,
		      double min_similarity, simhash_pair_fn *pair, void *context,
		      struct simhash_error *error)
{
	size_t size = sketch_size(measure);
	double share, deviation;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++) {
			size_t a = items[i].number, b = items[k].number;
			if (!is_first_shared(rare, a, b, items[i].key))
				continue;
			share = similarity(measure, sketches + a * size, sketches + b * size,
					   &deviation);
			if (share >= min_similarity &&
			    pair(context, a < b ? a : b, a < b ? b : a, share, error) != 0)
				return -1;
		}
	return 0;
}

static int pairs(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		 double min_similarity, simhash_pair_fn *pair, void *context,
		 struct simhash_error *error)
{
	struct rare_values rare = {NULL, NULL, NULL};
	struct sort_item *items = NULL, *scratch = NULL;
	size_t total = 0;
	int status =
		find_rare(sketches, count, measure->number[NUMBER_K], min_similarity, &rare, error);

	if (status == 0) {
		total = rare.starts[count];
		items = malloc((total + 1) * sizeof *items);
		scratch = malloc((total + 1) * sizeof *scratch);
		if (items == NULL || scratch == NULL)
			status = error_set_memory(error);
	}
	if (status == 0) {
		for (size_t i = 0; i < count; i++)
			for (size_t k = rare.starts[i]; k < rare.starts[i + 1]; k++)
				items[k] = (struct sort_item){rare.values[k], i};
		sort_items(items, scratch, total, 64);
	}
	for (size_t start = 0, end; status == 0 && start < total; start = end) {
		for (end = start + 1; end < total && items[end].key == items[start].key;)
			end++;
		status = take_group(measure, sketches, &rare, items + start, end - start,
				    min_similarity, pair, context, error);
	}
	free(scratch);
	free(items);
	free(rare.common);
	free(rare.starts);
	free(rare.values);
	return status;
}

const struct measure_kind measure_bottomk = {
	.name = "bottomk",
	.default_number = {[NUMBER_K] = 64, [NUMBER_CLUSTER] = 4},
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
