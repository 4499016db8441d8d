/*
 * Keeps the most similar pairs among any number of pairs, in bounded memory for the pairs. Files
 * are kept as in pairs.h.
 *
 * Pairs with a known resemblance come first, by the resemblance. The others follow. Equal pairs are
 * sorted by their distance, and then by their paths. So the pairs may be added in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_BEST_PAIRS_H
#define SIMHASH_FIND_BEST_PAIRS_H

#include "find/pairs/pairs.h"

struct best_pairs {
	struct pair_list list; /* after best_pairs_settle: the best, in their order */
	size_t max;
	bool is_cut; /* then none that comes after the last of `max` pairs is kept */
};

void best_pairs_init(struct best_pairs *best, size_t max);
void best_pairs_release(struct best_pairs *best);

/* Any thread may. */
int best_pairs_add(struct best_pairs *best, const struct file_pair *pair,
		   struct simhash_error *error);

void best_pairs_settle(struct best_pairs *best);

#endif
