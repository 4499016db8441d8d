/*
 * Keeps the most similar pairs among any number of pairs, in a fixed amount of memory for the
 * pairs. Files are stored as in pairs.h.
 *
 * Pairs with a known resemblance come first, sorted by the resemblance, and the others follow.
 * Equal pairs are sorted by distance, then by path. So the pairs may be added in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_BEST_PAIRS_H
#define SIMHASH_FIND_BEST_PAIRS_H

#include "find/pairs/pairs.h"

struct best_pairs {
	struct pair_list list; /* the best pairs, sorted after best_pairs_settle */
	size_t max;
	/* The list was cut: ignore pairs that come after the last of its `max` pairs. */
	bool is_cut;
};

void best_pairs_init(struct best_pairs *best, size_t max);
void best_pairs_release(struct best_pairs *best);

/* Any thread may call it. */
int best_pairs_add(struct best_pairs *best, const struct file_pair *pair,
		   struct simhash_error *error);

void best_pairs_settle(struct best_pairs *best);

#endif
