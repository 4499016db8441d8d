/*
 * Joins each content to the contents that share most bytes with it. It builds a maximum spanning
 * forest (Kruskal 1956): the joins without a cycle that have the most bytes in common. It considers
 * only pairs that are among the best of one of their two contents.
 *
 *     likeness_forest_init(&forest, count, &error);
 *     forest.nodes[i].size_bytes = ...;                        // of all, before the first pair
 *     likeness_forest_offer(&forest, x, y, resemblance);       // any thread, in any order
 *     likeness_forest_grow(&forest, &error);
 *     ... forest.nodes[i].place ...
 *     likeness_forest_release(&forest);
 *
 * The result follows from the sizes and the pairs alone, regardless of their order.
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

/* Of the pairs of a content so many are kept: memory does not follow the number of pairs. */
#define LIKENESSES_KEPT 8

/* No reference has more references in turn than this. */
#define REFERENCE_DEPTH_MAX 16

struct likeness {
	int64_t common_bytes;
	uint32_t other;
};

struct likeness_node {
	int64_t size_bytes;
	uint32_t kept_count;
	struct likeness kept[LIKENESSES_KEPT]; /* the most in common first */
	/*
	 * Set by likeness_forest_grow: its place among all, where each tree begins at its first node,
	 * and the trees are in the order of these. What it has the most in common with, of those before
	 * it: in `reference`, whose `other` is NO_NODE where there is none.
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

/* Two contents resemble each other, which is said once. */
void likeness_forest_offer(struct likeness_forest *forest, uint32_t x, uint32_t y,
			   double resemblance);

int likeness_forest_grow(struct likeness_forest *forest, struct simhash_error *error);

#endif
