/*
 * Finds the cheapest tree of a complete directed graph with all edges leading away from the root
 * (J. Edmonds, "Optimum branchings", 1967). The method is by Gabow, Galil, Spencer and Tarjan
 * (1986): extend a path against the direction of the edges, and contract each cycle when it closes.
 * O(n^2) in time and memory.
 *
 *     arborescence_init(&graph, n, &error);
 *     arborescence_set(&graph, from, to, cost);         // all pairs
 *     arborescence_set(&graph, n, to, cost_of_a_root);  // node n is above all roots
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
	uint32_t from, to; /* original nodes, not contracted cycles */
};

struct arborescence {
	struct arborescence_edge *edges; /* the edges into one node are in one row */
	uint32_t nodes;			 /* the number of nodes, without the node above the roots */
};

int arborescence_init(struct arborescence *graph, uint32_t nodes, struct simhash_error *error);
void arborescence_release(struct arborescence *graph);

/* A cost must be between -2^40 and 2^40, and there may be at most 2^20 nodes. */
void arborescence_set(struct arborescence *graph, uint32_t from, uint32_t to, int64_t cost);

/*
 * Among trees of equal cost, the choice depends only on the numbers of the nodes. Call it once for
 * each graph, because contracting changes the graph.
 */
int arborescence_find(struct arborescence *graph, uint32_t *parents, struct simhash_error *error);

#endif
