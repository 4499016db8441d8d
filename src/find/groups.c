/*
 * Grouping: copies first, which are one node; then representatives, greedily by the
 * number of a node's neighbours, as the largest star is the most telling group.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/sort.h"
#include "find/verify.h"

#define NONE UINT32_MAX

/* Files of one content; its number is that of one of its files, its head. */
struct node {
	uint32_t head;	/* of a file: the head of its node. Of a head: itself */
	uint32_t files; /* of a head */
	size_t edges, first_edge;
	uint32_t center; /* the head of the representative */
};

struct edge {
	uint32_t to; /* a head */
	enum verification verification;
	bool is_part;
	uint64_t distance;
	double resemblance;
	double contained; /* as in struct group_member, with `to` as the representative */
};

struct grouping {
	const struct pair_list *list;
	struct node *nodes; /* one for each file */
	struct edge *edges;
	uint32_t *order; /* heads, best representatives first */
	size_t heads;
};

static uint32_t head_of(struct node *nodes, uint32_t file)
{
	while (nodes[file].head != file) {
		nodes[file].head = nodes[nodes[file].head].head;
		file = nodes[file].head;
	}
	return file;
}

static void unite(struct node *nodes, uint32_t a, uint32_t b)
{
	a = head_of(nodes, a);
	b = head_of(nodes, b);
	if (a == b)
		return;
	nodes[b].head = a;
	nodes[a].files += nodes[b].files;
}

static int compare_paths(const struct find_file *x, const struct find_file *y)
{
	return strcmp(x->display, y->display);
}

/* Copies under one tolerance are the same to every rule. */
static bool is_copy_pair(const struct file_pair *pair)
{
	return pair->is_identical && pair->a->tolerance == pair->b->tolerance;
}

/* The first path of a node is its head, so that results do not depend on threads. */
static void choose_heads(struct grouping *g)
{
	size_t count = g->list->file_count;
	uint32_t *first = g->order; /* room for one a file; filled anew afterwards */

	for (uint32_t i = 0; i < count; i++)
		first[i] = NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t head = head_of(g->nodes, i);
		if (first[head] == NONE ||
		    compare_paths(g->list->files[i], g->list->files[first[head]]) < 0)
			first[head] = i;
	}
	for (uint32_t i = 0; i < count; i++)
		g->nodes[i].center = first[head_of(g->nodes, i)];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t old = head_of(g->nodes, i);
		g->nodes[g->nodes[i].center].files = g->nodes[old].files;
	}
	for (uint32_t i = 0; i < count; i++)
		g->nodes[i].head = g->nodes[i].center;
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->resemblance < y->resemblance) - (x->resemblance > y->resemblance);
}

static struct edge edge_of(const struct file_pair *pair, uint32_t to, bool is_from_a)
{
	double own = is_from_a ? pair->contained_a : pair->contained_b;
	double other = is_from_a ? pair->contained_b : pair->contained_a;

	return (struct edge){.to = to,
			     .verification = pair->verification,
			     .is_part = pair->is_part,
			     .distance = pair->distance,
			     .resemblance = pair->resemblance,
			     .contained = own >= other ? own : -other};
}

static int make_edges(struct grouping *g, struct simhash_error *error)
{
	const struct pair_list *list = g->list;
	size_t total = 0, *fill;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < list->count; i++) {
			const struct file_pair *pair = &list->pairs[i];
			uint32_t a = g->nodes[pair->a->number].head;
			uint32_t b = g->nodes[pair->b->number].head;
			if (a == b)
				continue;
			if (round == 0) {
				g->nodes[a].edges++;
				g->nodes[b].edges++;
				continue;
			}
			g->edges[g->nodes[a].first_edge++] = edge_of(pair, b, true);
			g->edges[g->nodes[b].first_edge++] = edge_of(pair, a, false);
		}
		if (round == 1)
			break;
		for (size_t i = 0; i < list->file_count; i++) {
			g->nodes[i].first_edge = total;
			total += g->nodes[i].edges;
		}
		g->edges = malloc((total + 1) * sizeof *g->edges);
		if (g->edges == NULL)
			return error_set_memory(error);
	}
	for (size_t i = 0; i < list->file_count; i++) {
		struct node *node = &g->nodes[i];
		size_t kept = 0;
		node->first_edge -= node->edges;
		fill = &node->first_edge;
		qsort(g->edges + *fill, node->edges, sizeof *g->edges, compare_edges);
		for (size_t e = 0; e < node->edges; e++) {
			struct edge edge = g->edges[*fill + e];
			if (kept == 0 || g->edges[*fill + kept - 1].to != edge.to)
				g->edges[*fill + kept++] = edge;
		}
		node->edges = kept;
	}
	return 0;
}

static int compare_heads(const void *a, const void *b, void *context)
{
	const struct grouping *g = context;
	const struct node *nodes = g->nodes;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].edges != nodes[y].edges)
		return nodes[x].edges > nodes[y].edges ? -1 : 1;
	if (nodes[x].files != nodes[y].files)
		return nodes[x].files > nodes[y].files ? -1 : 1;
	return compare_paths(g->list->files[x], g->list->files[y]);
}

static void order_heads(struct grouping *g)
{
	g->heads = 0;
	for (uint32_t i = 0; i < g->list->file_count; i++)
		if (g->nodes[i].head == i)
			g->order[g->heads++] = i;
	sort_with(g->order, g->heads, sizeof *g->order, compare_heads, g);
}

/* The nearest center among a node's neighbours; itself where it is one. */
static uint32_t nearest_center(const struct grouping *g, uint32_t head)
{
	const struct node *node = &g->nodes[head];
	const struct edge *best = NULL;

	if (node->center == head)
		return head;
	for (size_t e = 0; e < node->edges; e++) {
		const struct edge *edge = &g->edges[node->first_edge + e];
		if (g->nodes[edge->to].center == edge->to &&
		    (best == NULL || edge->distance < best->distance ||
		     (edge->distance == best->distance &&
		      compare_paths(g->list->files[edge->to], g->list->files[best->to]) < 0)))
			best = edge;
	}
	return best == NULL ? head : best->to;
}

/*
 * A center whose neighbours all went to nearer ones would be a group of one file. It gets
 * the nearest of those that a larger group can spare.
 */
static void join_lonely(const struct grouping *g, uint32_t *chosen, const uint32_t *place,
			uint32_t *sizes)
{
	for (size_t i = 0; i < g->heads; i++) {
		uint32_t center = g->order[i], best = NONE;
		const struct node *node = &g->nodes[center];
		uint64_t nearest = UINT64_MAX;
		if (chosen[i] != center || sizes[center] > 1 || node->files > 1)
			continue;
		for (size_t e = 0; e < node->edges; e++) {
			const struct edge *edge = &g->edges[node->first_edge + e];
			uint32_t theirs = chosen[place[edge->to]];
			if (theirs != edge->to &&
			    (sizes[theirs] > 2 || g->nodes[theirs].files > 1) &&
			    (edge->distance < nearest ||
			     (edge->distance == nearest && best != NONE &&
			      compare_paths(g->list->files[edge->to], g->list->files[best]) < 0))) {
				nearest = edge->distance;
				best = edge->to;
			}
		}
		if (best == NONE)
			continue;
		sizes[chosen[place[best]]]--;
		chosen[place[best]] = center;
		sizes[center]++;
	}
}

static int link_representatives(struct grouping *g, struct simhash_error *error)
{
	size_t files = g->list->file_count;
	uint32_t *chosen = malloc((g->heads + 1) * sizeof *chosen);
	uint32_t *place = malloc((files + 1) * sizeof *place); /* of a head in the order */
	uint32_t *sizes = calloc(files + 1, sizeof *sizes);    /* heads that chose a center */

	if (chosen == NULL || place == NULL || sizes == NULL) {
		free(sizes);
		free(place);
		free(chosen);
		return error_set_memory(error);
	}
	for (size_t i = 0; i < g->heads; i++)
		g->nodes[g->order[i]].center = NONE;
	for (size_t i = 0; i < g->heads; i++) {
		struct node *node = &g->nodes[g->order[i]];
		if (node->center != NONE)
			continue; /* a neighbour of a center */
		node->center = g->order[i];
		for (size_t e = 0; e < node->edges; e++)
			g->nodes[g->edges[node->first_edge + e].to].center = g->order[i];
	}
	for (size_t i = 0; i < g->heads; i++) {
		chosen[i] = nearest_center(g, g->order[i]);
		place[g->order[i]] = (uint32_t)i;
		sizes[chosen[i]]++;
	}
	join_lonely(g, chosen, place, sizes);
	for (size_t i = 0; i < g->heads; i++)
		g->nodes[g->order[i]].center = chosen[i];
	free(sizes);
	free(place);
	free(chosen);
	return 0;
}

static void link_single(struct grouping *g)
{
	struct node *nodes = g->nodes;

	for (size_t i = 0; i < g->heads; i++)
		nodes[g->order[i]].center = NONE;
	/* In the order of heads, so that a group's center is its best. */
	for (size_t i = 0; i < g->heads; i++) {
		uint32_t stack_top = g->order[i], center = g->order[i];
		if (nodes[center].center != NONE)
			continue;
		/* A walk over all that is connected; the nodes yet to visit are linked by
		   their field `head`, which is their own number again afterwards. */
		nodes[center].center = center;
		nodes[center].head = NONE;
		while (stack_top != NONE) {
			uint32_t at = stack_top;
			stack_top = nodes[at].head;
			nodes[at].head = at;
			for (size_t e = 0; e < nodes[at].edges; e++) {
				uint32_t to = g->edges[nodes[at].first_edge + e].to;
				if (nodes[to].center != NONE)
					continue;
				nodes[to].center = center;
				nodes[to].head = stack_top;
				stack_top = to;
			}
		}
	}
}

/* ---- Writing the groups down ---- */

struct placed {
	uint32_t file, head, center;
	size_t group_files;
	struct group_member member;
};

/* What resembles the representative most comes first; what nothing verified last, by distance. */
static int compare_members(const struct group_member *x, const struct group_member *y)
{
	bool x_is_known = has_resemblance(x->verification);

	if (x_is_known != has_resemblance(y->verification))
		return x_is_known ? -1 : 1;
	if (x_is_known && x->resemblance != y->resemblance)
		return x->resemblance > y->resemblance ? -1 : 1;
	return (x->distance > y->distance) - (x->distance < y->distance);
}

static int compare_placed(const void *a, const void *b, void *context)
{
	const struct placed *x = a, *y = b;
	struct find_file *const *files = ((const struct grouping *)context)->list->files;

	if (x->center != y->center) {
		if (x->group_files != y->group_files)
			return x->group_files > y->group_files ? -1 : 1;
		return compare_paths(files[x->center], files[y->center]);
	}
	if (x->head != y->head) {
		if ((x->head == x->center) != (y->head == y->center))
			return x->head == x->center ? -1 : 1;
		int order = compare_members(&x->member, &y->member);
		return order != 0 ? order : compare_paths(files[x->head], files[y->head]);
	}
	if ((x->file == x->head) != (y->file == y->head))
		return x->file == x->head ? -1 : 1;
	return compare_paths(files[x->file], files[y->file]);
}

/* What is known of a file and the representative, which by single linkage may be no pair. */
static void describe_member(const struct grouping *g, struct placed *placed)
{
	struct group_member *member = &placed->member;
	const struct find_file *center = g->list->files[placed->center];
	const struct node *node = &g->nodes[placed->head];
	const struct edge *edge = NULL;

	*member = (struct group_member){
		.file = g->list->files[placed->file],
		.role = placed->file == placed->center ? ROLE_REPRESENTATIVE
			: placed->file != placed->head ? ROLE_COPY
						       : ROLE_MEMBER,
	};
	member->distance = simhash_distance(&center->table, &member->file->table);
	if (placed->head == placed->center) {
		member->verification = PAIR_HASH;
		member->resemblance = 1;
		return;
	}
	for (size_t e = 0; e < node->edges && edge == NULL; e++)
		if (g->edges[node->first_edge + e].to == placed->center)
			edge = &g->edges[node->first_edge + e];
	if (edge != NULL) {
		member->verification = edge->verification;
		member->resemblance = edge->resemblance;
		member->is_part = edge->is_part;
		member->contained = edge->contained;
	} else {
		struct file_pair pair = {.resemblance = 0};
		estimate_resemblance(center, member->file, &pair);
		member->verification = pair.verification;
		member->resemblance = pair.resemblance;
	}
}

/* An index may hold any sizes: their sum stays at the end of its range. */
static int64_t add_sizes(int64_t x, int64_t y)
{
	return y > INT64_MAX - x ? INT64_MAX : x + y;
}

static void add_member(struct group_list *groups, size_t at, const struct placed *placed)
{
	const struct find_file *file = placed->member.file;
	struct group *group;

	if (placed->file == placed->center) {
		group = &groups->groups[groups->count++];
		*group = (struct group){
			.number = groups->count, .first = at, .representative = file};
	}
	group = &groups->groups[groups->count - 1];
	group->count++;
	group->bytes = add_sizes(group->bytes, file->size_bytes);
	if (placed->member.role == ROLE_COPY)
		group->copied_bytes = add_sizes(group->copied_bytes, file->size_bytes);
	groups->members[at] = placed->member;
}

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, CONTENT_HASH_SIZE);
}

/* The hash of the hashes of its contents, in their order: the number of copies does not matter. */
static int name_groups(struct group_list *groups, struct simhash_error *error)
{
	size_t largest = 0;
	uint8_t(*hashes)[CONTENT_HASH_SIZE];

	for (size_t g = 0; g < groups->count; g++)
		if (groups->groups[g].count > largest)
			largest = groups->groups[g].count;
	hashes = malloc((largest + 1) * sizeof *hashes);
	if (hashes == NULL)
		return error_set_memory(error);
	for (size_t g = 0; g < groups->count; g++) {
		struct group *group = &groups->groups[g];
		size_t contents = 0;
		for (size_t m = 0; m < group->count; m++)
			memcpy(hashes[m], groups->members[group->first + m].file->content_hash,
			       CONTENT_HASH_SIZE);
		qsort(hashes, group->count, sizeof *hashes, compare_hashes);
		for (size_t m = 0; m < group->count; m++)
			if (contents == 0 || compare_hashes(hashes[contents - 1], hashes[m]) != 0)
				memmove(hashes[contents++], hashes[m], CONTENT_HASH_SIZE);
		group->id = XXH3_64bits(hashes, contents * sizeof *hashes);
	}
	free(hashes);
	return 0;
}

static int write_groups(struct grouping *g, struct group_list *groups, struct simhash_error *error)
{
	const struct pair_list *list = g->list;
	size_t count = list->file_count, used = 0;
	struct placed *placed = malloc((count + 1) * sizeof *placed);
	size_t *files = calloc(count + 1, sizeof *files);

	groups->groups = malloc((count + 1) * sizeof *groups->groups);
	groups->members = malloc((count + 1) * sizeof *groups->members);
	if (placed == NULL || files == NULL || groups->groups == NULL || groups->members == NULL) {
		free(files);
		free(placed);
		return error_set_memory(error);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t head = g->nodes[i].head, center = g->nodes[head].center;
		if (g->nodes[head].files == 1 && g->nodes[head].edges == 0)
			continue; /* all its pairs were dropped */
		placed[used] = (struct placed){.file = i, .head = head, .center = center};
		describe_member(g, &placed[used++]);
		files[center]++;
	}
	for (size_t i = 0; i < used; i++)
		placed[i].group_files = files[placed[i].center];
	sort_with(placed, used, sizeof *placed, compare_placed, g);
	for (size_t i = 0; i < used; i++)
		add_member(groups, i, &placed[i]);
	free(files);
	free(placed);
	return name_groups(groups, error);
}

int group_pairs(const struct pair_list *list, enum linkage linkage, struct group_list *groups,
		struct simhash_error *error)
{
	struct grouping g = {.list = list};
	int status = -1;

	*groups = (struct group_list){.list = list};
	g.nodes = calloc(list->file_count + 1, sizeof *g.nodes);
	g.order = malloc((list->file_count + 1) * sizeof *g.order);
	if (g.nodes == NULL || g.order == NULL) {
		error_set_memory(error);
		goto out;
	}
	for (uint32_t i = 0; i < list->file_count; i++)
		g.nodes[i] = (struct node){.head = i, .files = 1};
	for (size_t i = 0; i < list->count; i++)
		if (is_copy_pair(&list->pairs[i]))
			unite(g.nodes, list->pairs[i].a->number, list->pairs[i].b->number);
	choose_heads(&g);
	if (make_edges(&g, error) != 0)
		goto out;
	order_heads(&g);
	if (linkage == LINK_SINGLE)
		link_single(&g);
	else if (link_representatives(&g, error) != 0)
		goto out;
	status = write_groups(&g, groups, error);
out:
	free(g.edges);
	free(g.order);
	free(g.nodes);
	if (status != 0)
		group_list_release(groups);
	return status;
}

void group_list_release(struct group_list *groups)
{
	free(groups->groups);
	free(groups->members);
	groups->groups = NULL;
	groups->members = NULL;
	groups->count = 0;
}
