/*
 * The cheapest tree of a complete directed graph whose edges all lead away from the root: J.
 * Edmonds, "Optimum branchings", 1967, in the way of Gabow, Galil, Spencer and Tarjan (1986): grow
 * a path against the edges, and contract each cycle as it closes. O(n^2) in time and memory.
 *
 *     arborescence_init(&graph, n, &error);
 *     arborescence_set(&graph, from, to, cost);         // all pairs
 *     arborescence_set(&graph, n, to, cost_of_a_root);  // node n stands above all roots
 *     arborescence_find(&graph, parents, &error);       // parents[v] == n: v is a root
 *     arborescence_release(&graph);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ARBORESCENCE_H
#define SIMHASH_FIND_ARBORESCENCE_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct arborescence_edge {
	int64_t cost;
	uint32_t from, to; /* nodes, not what they were contracted to */
};

struct arborescence {
	struct arborescence_edge *edges; /* those into a node are in one row */
	uint32_t nodes;			 /* without the one above the roots */
};

int arborescence_init(struct arborescence *graph, uint32_t nodes, struct simhash_error *error);
void arborescence_release(struct arborescence *graph);

/* No cost may exceed 2^40 either way, nor may there be more than 2^20 nodes. */
void arborescence_set(struct arborescence *graph, uint32_t from, uint32_t to, int64_t cost);

/*
 * Among trees of equal cost the choice follows from the numbers of the nodes alone. Once for a
 * graph: contracting changes it.
 */
int arborescence_find(struct arborescence *graph, uint32_t *parents, struct simhash_error *error);

#endif
