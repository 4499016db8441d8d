/*
 * Defines weights of features in two forms: with the text of each feature, as they are read, and
 * with its hash, as a measure looks them up.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_WEIGHTS_H
#define SIMHASH_MEASURE_WEIGHTS_H

#include "base/data/slots.h"
#include "measure/features.h"
#include "simhash_measures.h"

#define FEATURE_WEIGHT_MAX 1000000

struct feature_weights {
	int64_t default_weight; /* the weight of all features that are not in the table */
	struct slots slots;	/* the numbers of weights, found by the upper bits of the hash */
	struct feature_weight {
		uint64_t hash;
		int64_t weight;
	} * items;
	size_t count;
	/* A filter: one bit for the lowest 16 bits of each hash in the table. */
	uint8_t maybe[8192];
	uint64_t sum; /* a hash of all weights, which does not depend on their order */
};

/*
 * Make the table for a measure whose features are `spec`. Errors: SIMHASH_E_SYNTAX if a line is not
 * exactly one such feature, or has the feature of another line; SIMHASH_E_MEMORY.
 */
int feature_weights_new(const struct simhash_weights *source, const struct feature_spec *spec,
			struct feature_weights **weights, struct simhash_error *error);
void feature_weights_free(struct feature_weights *weights);

/* A feature whose weight is looked up. */
struct feature_key {
	const struct feature_weights *weights;
	uint64_t hash;
};

static inline bool is_weight_of(const void *key, uint32_t number)
{
	const struct feature_key *wanted = key;

	return wanted->weights->items[number - 1].hash == wanted->hash;
}

/* The weight of a feature. */
static inline int64_t weight_of(const struct feature_weights *weights, uint64_t hash)
{
	uint32_t number;

	if ((weights->maybe[(hash & 0xffff) >> 3] >> (hash & 7) & 1) == 0)
		return weights->default_weight;
	number = slots_number(&weights->slots, hash >> 16, is_weight_of,
			      &(struct feature_key){weights, hash});
	return number == NO_ITEM ? weights->default_weight : weights->items[number - 1].weight;
}

#endif
