/*
 * Joins each content to the contents that share the most bytes with it. It builds a maximum
 * spanning forest (Kruskal 1956): the joins without a cycle that share the most bytes. It only uses
 * pairs that are among the best pairs of one of their contents.
 *
 *     likeness_forest_init(&forest, count, &error);
 *     forest.nodes[i].size_bytes = ...;                        // for all, before the first pair
 *     likeness_forest_offer(&forest, x, y, resemblance);       // any thread, in any order
 *     likeness_forest_grow(&forest, &error);
 *     ... forest.nodes[i].place ...
 *     likeness_forest_release(&forest);
 *
 * The result depends only on the sizes and the pairs, not on the order of the pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_LIKENESS_FOREST_H
#define SIMHASH_FIND_LIKENESS_FOREST_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

#define NO_NODE UINT32_MAX

/*
 * The number of pairs that are kept for each content, so that memory does not grow with the number
 * of pairs.
 */
#define LIKENESSES_KEPT 8

/* The longest chain of references. */
#define REFERENCE_DEPTH_MAX 16

struct likeness {
	int64_t common_bytes;
	uint32_t other;
};

struct likeness_node {
	int64_t size_bytes;
	uint32_t kept_count;
	struct likeness kept[LIKENESSES_KEPT]; /* sorted by common bytes, the largest first */
	/*
	 * Set by likeness_forest_grow. Each tree begins at its first node, and the trees are sorted
	 * by these nodes. `reference` is the earlier node with the most common bytes; its `other`
	 * is NO_NODE if there is none.
	 */
	uint32_t place, depth;
	struct likeness reference;
};

struct likeness_forest {
	struct likeness_node *nodes;
	uint32_t count;
	pthread_mutex_t lock;
};

int likeness_forest_init(struct likeness_forest *forest, uint32_t count,
			 struct simhash_error *error);
void likeness_forest_release(struct likeness_forest *forest);

/* Two contents resemble each other. Call it once for each pair. */
void likeness_forest_offer(struct likeness_forest *forest, uint32_t x, uint32_t y,
			   double resemblance);

int likeness_forest_grow(struct likeness_forest *forest, struct simhash_error *error);

#endif
