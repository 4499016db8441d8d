/*
 * The interface of a measure: one struct of functions, in one file for each measure, with a line in
 * the table of measure.c. A measure takes features (features.h), keeps a state while they come, and
 * makes a sketch of fixed size, the same bytes on every machine. It can compare two sketches, and
 * propose the pairs of many sketches that are worth comparing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_MEASURE_H
#define SIMHASH_MEASURE_MEASURE_H

#include <math.h>

#include "measure/features.h"
#include "simhash_measures.h"

/* The parameters that are numbers. A measure without a parameter has 0 there. */
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
	bool has_weights; /* can be given weights */
	unsigned default_number[MEASURE_NUMBERS];
	double min_similarity, default_similarity; /* of simhash_sketch_pairs */

	size_t (*sketch_size)(const struct simhash_measure *measure);
	/* A state for a stream: its size, making it new, taking features, leaving a sketch. */
	size_t (*state_size)(const struct simhash_measure *measure);
	void (*begin)(const struct simhash_measure *measure, void *state);
	void (*add)(const struct simhash_measure *measure, void *state, uint64_t *hashes,
		    uint64_t *second, size_t count);
	/* False when all features together weigh 0, which makes no sketch. */
	bool (*finish)(const struct simhash_measure *measure, void *state, uint8_t *sketch);

	double (*similarity)(const struct simhash_measure *measure, const uint8_t *a,
			     const uint8_t *b, double *deviation);
	int64_t (*cluster)(const struct simhash_measure *measure, const uint8_t *sketch);
	/* See simhash_sketch_pairs; min_similarity is not below the minimum. */
	int (*pairs)(const struct simhash_measure *measure, const uint8_t *sketches, size_t count,
		     double min_similarity, simhash_pair_fn *pair, void *context,
		     struct simhash_error *error);
};

extern const struct measure_kind measure_simhash64, measure_simhash128, measure_minhash,
	measure_bottomk;

/* ---- What several of them need ---- */

/*
 * The standard deviation of an estimated share of n, by the score interval (E. Wilson, 1927):
 * also where all n or none agree, it is not 0.
 */
static inline double jaccard_deviation(double share, unsigned n)
{
	return sqrt(share * (1 - share) / n + 0.25 / ((double)n * n));
}

/* Are eight hashes all this one, as where a file repeats a byte? */
static inline bool are_all(const uint64_t hashes[8], uint64_t hash)
{
	uint64_t other = 0;

	for (int i = 0; i < 8; i++)
		other |= hashes[i] ^ hash;
	return other == 0;
}

/* A good mixture of all bits: the end of MurmurHash3, which is a bijection. */
static inline uint64_t mix_bits(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

#endif
