/*
 * Weights of features in two forms: by their text as they are read, and by their hash as a measure
 * looks them up.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_WEIGHTS_H
#define SIMHASH_MEASURE_WEIGHTS_H

#include "measure/features.h"
#include "simhash_measures.h"

#define FEATURE_WEIGHT_MAX 1000000

struct feature_weights {
	int64_t default_weight; /* of all features that are not in the table */
	struct feature_weight {
		uint64_t hash;
		int64_t weight; /* -1: the slot is free */
	} * slots;
	size_t slot_count;   /* a power of two */
	uint8_t maybe[8192]; /* a bit for the lowest 16 of each hash in the table */
	uint64_t sum;	     /* a hash of all weights, whatever their order */
};

/*
 * The table for a measure whose features are `spec`. Errors: SIMHASH_E_SYNTAX for a line that is
 * not one such feature, or the same as another; SIMHASH_E_MEMORY.
 */
int feature_weights_new(const struct simhash_weights *source, const struct feature_spec *spec,
			struct feature_weights **weights, struct simhash_error *error);
void feature_weights_free(struct feature_weights *weights);

/* What a feature weighs. */
static inline int64_t weight_of(const struct feature_weights *weights, uint64_t hash)
{
	size_t slot;

	if ((weights->maybe[(hash & 0xffff) >> 3] >> (hash & 7) & 1) == 0)
		return weights->default_weight;
	for (slot = (hash >> 16) & (weights->slot_count - 1); weights->slots[slot].weight >= 0;
	     slot = (slot + 1) & (weights->slot_count - 1))
		if (weights->slots[slot].hash == hash)
			return weights->slots[slot].weight;
	return weights->default_weight;
}

#endif
