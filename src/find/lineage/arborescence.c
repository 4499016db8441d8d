/*
 * Finds minimum arborescences: grows paths, contracts cycles, and expands them again.
 * SPDX-License-Identifier: MIT
 */
#include "find/lineage/arborescence.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/basic/error.h"

#define NO_NODE UINT32_MAX

/* A node, or a cycle that was contracted. Contracted cycles are numbered after the nodes. */
struct tree_part {
	struct arborescence_edge entry; /* the cheapest edge that leads to it */
	uint32_t whole;			/* the contracted cycle that contains it, or NO_NODE */
	bool is_entered;		/* an edge to a node inside it was chosen */
};

enum place { PLACE_NEW, PLACE_ON_PATH, PLACE_REACHED, PLACE_MERGED };

/*
 * A slot is the number of a row and of a column of the matrix of edges. A contracted cycle uses the slot of one of its members.
 */
struct tree_search {
	struct arborescence *graph;
	struct tree_part *parts;
	uint32_t part_count;
	uint32_t *part_of; /* the part in each slot */
	enum place *places;
	uint32_t *path;
	uint32_t path_size;
};

static struct arborescence_edge *edge_between(const struct arborescence *graph, uint32_t from,
					      uint32_t to)
{
	return &graph->edges[(size_t)to * (graph->nodes + 1) + from];
}

int arborescence_init(struct arborescence *graph, uint32_t nodes, struct simhash_error *error)
{
	graph->nodes = nodes;
	graph->edges = calloc((size_t)nodes * (nodes + 1) + 1, sizeof *graph->edges);
	return graph->edges == NULL ? error_set_memory(error) : 0;
}

void arborescence_release(struct arborescence *graph)
{
	free(graph->edges);
	graph->edges = NULL;
}

void arborescence_set(struct arborescence *graph, uint32_t from, uint32_t to, int64_t cost)
{
	*edge_between(graph, from, to) = (struct arborescence_edge){cost, from, to};
}

/* The slot where the cheapest edge into a slot begins. */
static uint32_t cheapest_into(const struct tree_search *search, uint32_t to)
{
	uint32_t best = NO_NODE;

	for (uint32_t from = 0; from <= search->graph->nodes; from++)
		if (from != to && search->places[from] != PLACE_MERGED &&
		    (best == NO_NODE || edge_between(search->graph, from, to)->cost <
						edge_between(search->graph, best, to)->cost))
			best = from;
	return best;
}

static void keep_cheaper(struct arborescence_edge *kept, const struct arborescence_edge *other)
{
	if (other->cost < kept->cost)
		*kept = *other;
}

/*
 * An edge into a cycle replaces the edge that led to the same member before, so subtract the cost
 * of that edge.
 */
static void discount(const struct tree_search *search, uint32_t slot)
{
	int64_t cost = search->parts[search->part_of[slot]].entry.cost;

	for (uint32_t from = 0; from <= search->graph->nodes; from++)
		edge_between(search->graph, from, slot)->cost -= cost;
}

static void merge(const struct tree_search *search, uint32_t into, uint32_t slot)
{
	struct arborescence *graph = search->graph;

	for (uint32_t from = 0; from <= graph->nodes; from++)
		keep_cheaper(edge_between(graph, from, into), edge_between(graph, from, slot));
	for (uint32_t to = 0; to < graph->nodes; to++)
		keep_cheaper(edge_between(graph, into, to), edge_between(graph, slot, to));
	search->places[slot] = PLACE_MERGED;
}

/* Contract the cycle: the path has reached `first` again. */
static void contract(struct tree_search *search, uint32_t first)
{
	uint32_t whole = search->part_count++, slot;

	discount(search, first);
	search->parts[search->part_of[first]].whole = whole;
	while ((slot = search->path[search->path_size - 1]) != first) {
		discount(search, slot);
		search->parts[search->part_of[slot]].whole = whole;
		merge(search, first, slot);
		search->path_size--;
	}
	search->part_of[first] = whole;
	search->parts[whole] = (struct tree_part){.whole = NO_NODE};
}

static void grow(struct tree_search *search, uint32_t slot)
{
	search->path[0] = slot;
	search->path_size = 1;
	search->places[slot] = PLACE_ON_PATH;
	for (;;) {
		uint32_t top = search->path[search->path_size - 1];
		uint32_t from = cheapest_into(search, top);
		search->parts[search->part_of[top]].entry = *edge_between(search->graph, from, top);
		if (search->places[from] == PLACE_REACHED)
			break;
		if (search->places[from] == PLACE_ON_PATH) {
			contract(search, from);
			continue;
		}
		search->places[from] = PLACE_ON_PATH;
		search->path[search->path_size++] = from;
	}
	while (search->path_size > 0)
		search->places[search->path[--search->path_size]] = PLACE_REACHED;
}

/* Expand all cycles: the edge into a cycle replaces the edges of the parts that it enters. */
static void expand(const struct tree_search *search, uint32_t *parents)
{
	for (uint32_t p = search->part_count; p-- > 0;) {
		const struct arborescence_edge *entry = &search->parts[p].entry;
		if (search->parts[p].is_entered)
			continue;
		parents[entry->to] = entry->from;
		for (uint32_t part = entry->to; part != p; part = search->parts[part].whole)
			search->parts[part].is_entered = true;
	}
}

int arborescence_find(struct arborescence *graph, uint32_t *parents, struct simhash_error *error)
{
	size_t slots = (size_t)graph->nodes + 1;
	struct tree_search search = {.graph = graph,
				     .parts = calloc(2 * slots, sizeof *search.parts),
				     .part_count = graph->nodes,
				     .part_of = calloc(slots, sizeof *search.part_of),
				     .places = calloc(slots, sizeof *search.places),
				     .path = calloc(slots, sizeof *search.path)};
	int status = 0;

	if (search.parts == NULL || search.part_of == NULL || search.places == NULL ||
	    search.path == NULL) {
		status = error_set_memory(error);
	} else {
		for (uint32_t i = 0; i < graph->nodes; i++) {
			search.part_of[i] = i;
			search.parts[i].whole = NO_NODE;
		}
		search.places[graph->nodes] = PLACE_REACHED;
		for (uint32_t i = 0; i < graph->nodes; i++)
			if (search.places[i] == PLACE_NEW)
				grow(&search, i);
		expand(&search, parents);
	}
	free(search.path);
	free(search.places);
	free(search.part_of);
	free(search.parts);
	return status;
}
