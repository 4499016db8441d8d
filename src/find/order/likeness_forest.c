/*
 * Builds trees from pairs, and sorts contents by these trees.
 * SPDX-License-Identifier: MIT
 */
#include "find/order/likeness_forest.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/sort/sort.h"

int likeness_forest_init(struct likeness_forest *forest, uint32_t count,
			 struct simhash_error *error)
{
	*forest = (struct likeness_forest){
		.nodes = calloc((size_t)count + 1, sizeof *forest->nodes), .count = count};
	pthread_mutex_init(&forest->lock, NULL);
	return forest->nodes == NULL ? error_set_memory(error) : 0;
}

void likeness_forest_release(struct likeness_forest *forest)
{
	free(forest->nodes);
	pthread_mutex_destroy(&forest->lock);
}

/* ---- Pairs ---- */

static int compare_likenesses(const struct likeness *x, const struct likeness *y)
{
	if (x->common_bytes != y->common_bytes)
		return x->common_bytes > y->common_bytes ? -1 : 1;
	return (x->other > y->other) - (x->other < y->other);
}

static void keep(struct likeness_node *node, struct likeness likeness)
{
	uint32_t at = node->kept_count;

	if (at == LIKENESSES_KEPT && compare_likenesses(&likeness, &node->kept[--at]) > 0)
		return;
	for (; at > 0 && compare_likenesses(&likeness, &node->kept[at - 1]) < 0; at--)
		node->kept[at] = node->kept[at - 1];
	node->kept[at] = likeness;
	if (node->kept_count < LIKENESSES_KEPT)
		node->kept_count++;
}

/*
 * The resemblance is the share in the union of both contents. This computes the number of common
 * bytes.
 */
static int64_t common_bytes(int64_t x, int64_t y, double resemblance)
{
	double common = resemblance / (1 + resemblance) * ((double)x + (double)y);
	int64_t smaller = x < y ? x : y;

	/* Of two different files of one size, neither has all of the other. */
	return common < (double)smaller ? (int64_t)common : smaller - (x == y);
}

void likeness_forest_offer(struct likeness_forest *forest, uint32_t x, uint32_t y,
			   double resemblance)
{
	struct likeness_node *a = &forest->nodes[x], *b = &forest->nodes[y];
	int64_t common = common_bytes(a->size_bytes, b->size_bytes, resemblance);

	pthread_mutex_lock(&forest->lock);
	keep(a, (struct likeness){common, y});
	keep(b, (struct likeness){common, x});
	pthread_mutex_unlock(&forest->lock);
}

/* ---- Trees ---- */

struct likeness_edge {
	int64_t common_bytes;
	uint32_t x, y;
};

/* The branches of node n begin at first[n] and end at first[n + 1]. */
struct branches {
	size_t *first;
	struct likeness *items;
};

struct growing {
	struct likeness_node *nodes;
	uint32_t count;
	struct likeness_edge *edges;
	size_t edge_count;
	uint32_t *tree; /* the first node of a tree, or a node on the way to it */
	struct branches branches;
	uint32_t *order;       /* nodes, with each node after its parent */
	uint32_t *descendants; /* including the node itself */
};

static int compare_edges(const void *a, const void *b)
{
	const struct likeness_edge *x = a, *y = b;

	if (x->common_bytes != y->common_bytes)
		return x->common_bytes > y->common_bytes ? -1 : 1;
	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return (x->y > y->y) - (x->y < y->y);
}

static void take_edges(struct growing *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t k = 0; k < g->nodes[i].kept_count; k++) {
			const struct likeness *kept = &g->nodes[i].kept[k];
			bool is_later = kept->other < i;
			g->edges[g->edge_count++] = (struct likeness_edge){
				kept->common_bytes, is_later ? kept->other : i,
				is_later ? i : kept->other};
		}
	qsort(g->edges, g->edge_count, sizeof *g->edges, compare_edges);
}

static uint32_t tree_of(const struct growing *g, uint32_t node)
{
	while (g->tree[node] != node)
		node = g->tree[node] = g->tree[g->tree[node]];
	return node;
}

/* Keep only edges that close no cycle. */
static void join_trees(struct growing *g)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < g->count; i++)
		g->tree[i] = i;
	for (size_t e = 0; e < g->edge_count; e++) {
		uint32_t x = tree_of(g, g->edges[e].x), y = tree_of(g, g->edges[e].y);
		if (x == y)
			continue;
		g->tree[x > y ? x : y] = x < y ? x : y;
		g->edges[kept++] = g->edges[e];
	}
	g->edge_count = kept;
}

static void make_branches(struct growing *g)
{
	struct branches *branches = &g->branches;

	for (size_t e = 0; e < g->edge_count; e++) {
		branches->first[g->edges[e].x]++;
		branches->first[g->edges[e].y]++;
	}
	for (uint32_t i = 0; i < g->count; i++)
		branches->first[i + 1] += branches->first[i];
	for (size_t e = g->edge_count; e-- > 0;) {
		const struct likeness_edge *edge = &g->edges[e];
		branches->items[--branches->first[edge->x]] =
			(struct likeness){edge->common_bytes, edge->y};
		branches->items[--branches->first[edge->y]] =
			(struct likeness){edge->common_bytes, edge->x};
	}
}

/* ---- The order ---- */

/* Start at the first node of each tree. A parent becomes the reference of its children. */
static void find_parents(struct growing *g)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->count; i++) {
		g->nodes[i].reference.other = NO_NODE;
		g->descendants[i] = 1;
		if (tree_of(g, i) == i)
			g->order[count++] = i;
	}
	for (uint32_t at = 0; at < count; at++) {
		uint32_t node = g->order[at];
		for (size_t b = g->branches.first[node]; b < g->branches.first[node + 1]; b++) {
			struct likeness branch = g->branches.items[b];
			if (branch.other == g->nodes[node].reference.other)
				continue;
			g->nodes[branch.other].reference =
				(struct likeness){branch.common_bytes, node};
			g->order[count++] = branch.other;
		}
	}
	for (uint32_t at = count; at-- > 0;) {
		uint32_t parent = g->nodes[g->order[at]].reference.other;
		if (parent != NO_NODE)
			g->descendants[parent] += g->descendants[g->order[at]];
	}
}

static int compare_branches(const void *a, const void *b, void *context)
{
	const struct growing *g = context;
	uint32_t x = ((const struct likeness *)a)->other, y = ((const struct likeness *)b)->other;

	if (g->descendants[x] != g->descendants[y])
		return g->descendants[x] < g->descendants[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/*
 * Put each node before its children, and children with the most descendants last, so that the other
 * children are near their parent.
 */
static void place_all(struct growing *g)
{
	uint32_t next_tree = 0;

	for (uint32_t at = 0; at < g->count; at++) {
		uint32_t node = g->order[at], next;
		size_t first = g->branches.first[node], end = g->branches.first[node + 1];
		if (g->nodes[node].reference.other == NO_NODE) {
			g->nodes[node].place = next_tree;
			next_tree += g->descendants[node];
		}
		next = g->nodes[node].place + 1;
		sort_with(g->branches.items + first, end - first, sizeof *g->branches.items,
			  compare_branches, g);
		for (size_t b = first; b < end; b++) {
			uint32_t child = g->branches.items[b].other;
			if (child == g->nodes[node].reference.other)
				continue;
			g->nodes[child].place = next;
			next += g->descendants[child];
		}
	}
}

static bool is_deep(const struct growing *g, uint32_t node)
{
	return g->nodes[node].depth == REFERENCE_DEPTH_MAX;
}

/*
 * The parent of a node is the earlier node with the most bytes in common: any better one would have
 * been joined first. If the chain to the parent is too long, another node replaces it, or a new
 * chain begins.
 */
static void limit_depth(struct growing *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		g->order[g->nodes[i].place] = i;
	for (uint32_t at = 0; at < g->count; at++) {
		struct likeness_node *node = &g->nodes[g->order[at]];
		if (node->reference.other == NO_NODE)
			continue;
		for (uint32_t k = 0; is_deep(g, node->reference.other) && k < node->kept_count; k++)
			if (g->nodes[node->kept[k].other].place < at)
				node->reference = node->kept[k];
		if (is_deep(g, node->reference.other))
			node->reference.other = NO_NODE;
		else
			node->depth = g->nodes[node->reference.other].depth + 1;
	}
}

static size_t count_kept(const struct likeness_forest *forest)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < forest->count; i++)
		kept += forest->nodes[i].kept_count;
	return kept;
}

int likeness_forest_grow(struct likeness_forest *forest, struct simhash_error *error)
{
	size_t count = (size_t)forest->count + 1;
	struct growing g = {
		.nodes = forest->nodes,
		.count = forest->count,
		.edges = malloc((count_kept(forest) + 1) * sizeof *g.edges),
		.tree = malloc(count * sizeof *g.tree),
		.branches = {.first = calloc(count, sizeof *g.branches.first),
			     .items = malloc(2 * count * sizeof *g.branches.items)},
		.order = malloc(count * sizeof *g.order),
		.descendants = malloc(count * sizeof *g.descendants),
	};
	int status = 0;

	if (g.edges == NULL || g.tree == NULL || g.branches.first == NULL ||
	    g.branches.items == NULL || g.order == NULL || g.descendants == NULL) {
		status = error_set_memory(error);
	} else {
		take_edges(&g);
		join_trees(&g);
		make_branches(&g);
		find_parents(&g);
		place_all(&g);
		limit_depth(&g);
	}
	free(g.edges);
	free(g.tree);
	free(g.branches.first);
	free(g.branches.items);
	free(g.order);
	free(g.descendants);
	return status;
}
