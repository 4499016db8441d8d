/*
 * Defines the interface of a measure: one struct of functions, in one file for each measure, with a
 * line in the table of measure.c. A measure receives features (features.h), collects them in a
 * state, and makes a sketch of fixed size, with the same bytes on every machine. It can compare two
 * sketches, and find the pairs of many sketches that are worth comparing.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_MEASURE_H
#define SIMHASH_MEASURE_MEASURE_H

#include <math.h>

#include "measure/features.h"
#include "simhash_measures.h"

/* The numeric parameters. 0 if a measure does not have the parameter. */
enum measure_number { NUMBER_FUNCTIONS, NUMBER_K, NUMBER_CLUSTER, MEASURE_NUMBERS };

struct feature_weights;

struct simhash_measure {
	const struct measure_kind *kind;
	struct feature_spec spec;
	unsigned number[MEASURE_NUMBERS];
	struct feature_weights *weights; /* owned; NULL: all weigh 1 */
	char text[SIMHASH_MEASURE_TEXT_MAX + 1];
};

struct measure_kind {
	const char *name;
	bool has_second;  /* needs two hashes of each feature */
	bool has_weights; /* accepts weights */
	unsigned default_number[MEASURE_NUMBERS];
	double min_similarity, default_similarity; /* for simhash_sketch_pairs */

	size_t (*sketch_size)(const struct simhash_measure *measure);
	/* The state for a stream: its size, its start, adding features, making a sketch. */
	size_t (*state_size)(const struct simhash_measure *measure);
	void (*begin)(const struct simhash_measure *measure, void *state);
	void (*add)(const struct simhash_measure *measure, void *state, uint64_t *hashes,
		    uint64_t *second, size_t count);
	/* Returns false if the sum of all weights is 0; then there is no sketch. */
	bool (*finish)(const struct simhash_measure *measure, void *state, uint8_t *sketch);

	double (*similarity)(const struct simhash_measure *measure, const uint8_t *a,
			     const uint8_t *b, double *deviation);
	int64_t (*cluster)(const struct simhash_measure *measure, const uint8_t *sketch);
	/* See simhash_sketch_pairs; min_similarity is at least the minimum. */
	int (*pairs)(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		     double min_similarity, simhash_pair_fn *pair, void *context,
		     struct simhash_error *error);
};

extern const struct measure_kind measure_simhash64, measure_simhash128, measure_minhash,
	measure_bottomk;

/* ---- Functions for several measures ---- */

/*
 * The standard deviation of an estimated share of n, from the score interval (E. Wilson, 1927). It
 * is not 0 even if none or all of n agree.
 */
static inline double jaccard_deviation(double share, unsigned n)
{
	return sqrt(share * (1 - share) / n + 0.25 / ((double)n * n));
}

/* Are all eight hashes equal to this one, for example because a file repeats a byte? */
static inline bool are_all(const uint64_t hashes[8], uint64_t hash)
{
	uint64_t other = 0;

	for (int i = 0; i < 8; i++)
		other |= hashes[i] ^ hash;
	return other == 0;
}

/* Mix all bits well: the end of MurmurHash3, which is a bijection. */
static inline uint64_t mix_bits(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

#endif
