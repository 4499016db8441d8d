/*
 * Computes and compares the feature simhash of 64 and 128 bits (M. Charikar, STOC 2002; Manku, Jain
 * and Das Sarma, WWW 2007). Each bit of the fingerprint is the sign of a sum. Every feature adds
 * its weight to the sum if the bit of its hash is set, and subtracts its weight otherwise.
 *
 * If all weights are 1, a sum is twice the number of set bits minus the number of features. Set
 * bits are counted for all 64 positions at once: bit_counts.h. Weights other than the default are
 * added one by one. hamming.c searches for similar fingerprints.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "measure/bit_counts.h"
#include "measure/measure.h"
#include "measure/weights.h"

struct feature_state {
	struct bit_counts counts[2];
	/* the sums of the differences between weights and the default weight */
	struct simhash_sums extra[2];
	uint64_t features;
	int64_t extra_weight; /* the sum of all features' differences from the default weight */
	uint64_t rest[2][64]; /* hashes not yet counted */
	size_t rest_count;
};

static void begin(const struct simhash_measure *measure, void *state)
{
	(void)measure;
	memset(state, 0, sizeof(struct feature_state));
}

static void count_blocks(struct bit_counts *counts, const uint64_t *hashes, size_t blocks)
{
#ifdef SIMHASH_X86_KERNELS
	if (__builtin_cpu_supports("avx2")) {
		count_blocks_avx2(counts, hashes, blocks);
		return;
	}
#endif
	count_blocks_here(counts, hashes, blocks);
}

/* Count all complete blocks, including the previous rest, and keep the new rest. */
static void count_hashes(struct bit_counts *counts, uint64_t *rest, size_t rest_count,
			 const uint64_t *hashes, size_t count)
{
	size_t at = 0;

	if (rest_count > 0) {
		at = 64 - rest_count < count ? 64 - rest_count : count;
		memcpy(rest + rest_count, hashes, at * sizeof *hashes);
		if (rest_count + at < 64)
			return;
		count_blocks(counts, rest, 1);
	}
	count_blocks(counts, hashes + at, (count - at) / 64);
	memcpy(rest, hashes + at + (count - at) / 64 * 64, (count - at) % 64 * sizeof *hashes);
}

static void add_weights(const struct feature_weights *weights, struct feature_state *state,
			const uint64_t *hashes, const uint64_t *second, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t weight = weight_of(weights, hashes[i]);
		if (weight == weights->default_weight)
			continue;
		state->extra_weight += weight - weights->default_weight;
		simhash_sums_add(&state->extra[0], hashes[i], weight - weights->default_weight);
		if (second != NULL)
			simhash_sums_add(&state->extra[1], second[i],
					 weight - weights->default_weight);
	}
}

static void add(const struct simhash_measure *measure, void *context, uint64_t *hashes,
		uint64_t *second, size_t count)
{
	struct feature_state *state = context;

	count_hashes(&state->counts[0], state->rest[0], state->rest_count, hashes, count);
	if (second != NULL)
		count_hashes(&state->counts[1], state->rest[1], state->rest_count, second, count);
	state->rest_count = (state->rest_count + count) % 64;
	state->features += count;
	if (measure->weights != NULL)
		add_weights(measure->weights, state, hashes, second, count);
}

static uint64_t fingerprint_of(const struct simhash_measure *measure, struct feature_state *state,
			       int half)
{
	struct simhash_sums *sums = &state->extra[half];
	int64_t weight = measure->weights == NULL ? 1 : measure->weights->default_weight;

	empty_planes(&state->counts[half]);
	for (size_t i = 0; i < state->rest_count; i++)
		for (int bit = 0; bit < 64; bit++)
			state->counts[half].count[bit] +=
				(int64_t)(state->rest[half][i] >> bit & 1);
	for (int bit = 0; bit < 64; bit++)
		sums->sum[bit] +=
			weight * (2 * state->counts[half].count[bit] - (int64_t)state->features);
	return simhash_sums_fingerprint(sums);
}

static bool has_weight(const struct simhash_measure *measure, const struct feature_state *state)
{
	int64_t weight = measure->weights == NULL ? 1 : measure->weights->default_weight;

	return weight * (int64_t)state->features + state->extra_weight > 0;
}

static bool finish64(const struct simhash_measure *measure, void *state, uint8_t *sketch)
{
	write_big_endian(sketch, 8, fingerprint_of(measure, state, 0));
	return has_weight(measure, state);
}

static bool finish128(const struct simhash_measure *measure, void *state, uint8_t *sketch)
{
	write_big_endian(sketch, 8, fingerprint_of(measure, state, 0));
	write_big_endian(sketch + 8, 8, fingerprint_of(measure, state, 1));
	return has_weight(measure, state);
}

/* ---- Public: sums of the caller's own features ---- */

void simhash_sums_add(struct simhash_sums *sums, uint64_t hash, int64_t weight)
{
	for (int bit = 0; bit < 64; bit++)
		sums->sum[bit] += (hash >> bit & 1) != 0 ? weight : -weight;
}

uint64_t simhash_sums_fingerprint(const struct simhash_sums *sums)
{
	uint64_t fingerprint = 0;

	for (int bit = 0; bit < 64; bit++)
		fingerprint |= (uint64_t)(sums->sum[bit] > 0) << bit;
	return fingerprint;
}

/* ---- Comparing ---- */

static size_t state_size(const struct simhash_measure *measure)
{
	(void)measure;
	return sizeof(struct feature_state);
}

static size_t size64(const struct simhash_measure *measure)
{
	(void)measure;
	return 8;
}

static size_t size128(const struct simhash_measure *measure)
{
	(void)measure;
	return 16;
}

static unsigned distance_of(const uint8_t *a, const uint8_t *b, unsigned halves)
{
	int distance = 0;

	for (unsigned i = 0; i < halves; i++)
		distance += __builtin_popcountll(read_big_endian(a + 8 * i, 8) ^
						 read_big_endian(b + 8 * i, 8));
	return (unsigned)distance;
}

static double similarity64(const struct simhash_measure *measure, const uint8_t *a,
			   const uint8_t *b, double *deviation)
{
	(void)measure;
	*deviation = 0;
	return 1 - distance_of(a, b, 1) / 64.0;
}

static double similarity128(const struct simhash_measure *measure, const uint8_t *a,
			    const uint8_t *b, double *deviation)
{
	(void)measure;
	*deviation = 0;
	return 1 - distance_of(a, b, 2) / 128.0;
}

static int64_t cluster(const struct simhash_measure *measure, const uint8_t *sketch)
{
	(void)measure;
	return (int64_t)read_big_endian(sketch, 8);
}

/* ---- Pairs ---- */

struct search {
	const uint8_t *sketches;
	/* the number of halves of a fingerprint, and the half of this search */
	unsigned halves, half;
	unsigned k, half_k;
	simhash_pair_fn *pair;
	void *context;
};

static int take_near(void *context, size_t a, size_t b, unsigned distance,
		     struct simhash_error *error)
{
	const struct search *search = context;
	size_t size = 8 * (size_t)search->halves;
	const uint8_t *x = search->sketches + a * size, *y = search->sketches + b * size;
	unsigned whole = search->halves == 1 ? distance : distance_of(x, y, 2);

	/* The search of the first half has reported this pair. */
	if (whole > search->k || (search->half == 1 && whole - distance <= search->half_k))
		return 0;
	return search->pair(search->context, a < b ? a : b, a < b ? b : a,
			    1 - whole / (64.0 * search->halves), error);
}

/*
 * If 128 bits differ in at most k, one half differs in at most k / 2, so each half is searched
 * separately.
 */
static int find_pairs(const uint8_t *sketches, size_t count, unsigned halves, double min_similarity,
		      simhash_pair_fn *pair, void *context, struct simhash_error *error)
{
	/* The similarity may come from a decimal that is slightly off a whole number of bits. */
	unsigned k = (unsigned)((1 - min_similarity) * 64 * halves + 1e-9);
	struct search search = {.sketches = sketches,
				.halves = halves,
				.k = k,
				.half_k = k / halves,
				.pair = pair,
				.context = context};
	uint64_t *fingerprints = malloc(count * sizeof *fingerprints);
	int status = 0;

	if (fingerprints == NULL)
		return error_set_memory(error);
	for (; status == 0 && search.half < halves; search.half++) {
		for (size_t i = 0; i < count; i++)
			fingerprints[i] =
				read_big_endian(sketches + 8 * (i * halves + search.half), 8);
		status = simhash_hamming_pairs(fingerprints, count, search.half_k, take_near,
					       &search, error);
	}
	free(fingerprints);
	return status;
}

static int pairs64(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		   double min_similarity, simhash_pair_fn *pair, void *context,
		   struct simhash_error *error)
{
	(void)measure;
	return find_pairs(sketches, count, 1, min_similarity, pair, context, error);
}

static int pairs128(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		    double min_similarity, simhash_pair_fn *pair, void *context,
		    struct simhash_error *error)
{
	(void)measure;
	return find_pairs(sketches, count, 2, min_similarity, pair, context, error);
}

/*
 * The default is 3 of 64 bits (Manku, Jain and Das Sarma); the minimum similarity allows 8 of each
 * 64.
 */
const struct measure_kind measure_simhash64 = {
	.name = "simhash64",
	.has_weights = true,
	.min_similarity = 1 - 8 / 64.0,
	.default_similarity = 1 - 3 / 64.0,
	.sketch_size = size64,
	.state_size = state_size,
	.begin = begin,
	.add = add,
	.finish = finish64,
	.similarity = similarity64,
	.cluster = cluster,
	.pairs = pairs64,
};

const struct measure_kind measure_simhash128 = {
	.name = "simhash128",
	.has_second = true,
	.has_weights = true,
	.min_similarity = 1 - 16 / 128.0,
	.default_similarity = 1 - 6 / 128.0,
	.sketch_size = size128,
	.state_size = state_size,
	.begin = begin,
	.add = add,
	.finish = finish128,
	.similarity = similarity128,
	.cluster = cluster,
	.pairs = pairs128,
};
