/*
 * Keys by which pairs and groups are sorted.
 * SPDX-License-Identifier: MIT
 */
#include "report/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/formatter.h"

bool order_is_given(const struct listing_order *order)
{
	return order->by != SORT_DEFAULT || order->reverse || order->limit > 0;
}

double pair_similarity_key(const struct file_pair *pair)
{
	if (pair->is_identical)
		return -1;
	if (pair->is_part)
		return 2 - fmax(pair->contained_a, pair->contained_b);
	return has_resemblance(pair->verification) ? 1 - pair->resemblance : 2 + pair_percent(pair);
}

double pair_sort_key(const struct listing_order *order, const struct file_pair *pair)
{
	switch (order->by) {
	case SORT_SIZE:
		return -((double)pair->a->size_bytes + (double)pair->b->size_bytes);
	case SORT_SAVED:
		return pair->is_identical ? -(double)pair->a->size_bytes : 0;
	case SORT_PATH:
		return 0;
	case SORT_DEFAULT:
	case SORT_SIMILARITY:
	case SORT_FILES:
	default:
		return pair_similarity_key(pair);
	}
}

/* ---- Groups ---- */

struct placed_group {
	double key, then;
	struct group group;
	bool reverse;
};

static double least_similar(const struct group_list *groups, const struct group *group)
{
	double key = -1;

	for (size_t m = 1; m < group->count; m++) {
		const struct group_member *member = &groups->members[group->first + m];
		struct file_pair pair = member_pair(group, member);
		key = fmax(key, pair_similarity_key(&pair));
	}
	return key;
}

static double group_sort_key(const struct group_list *groups, const struct group *group,
			     enum sort_by by)
{
	switch (by) {
	case SORT_SIZE:
		return -(double)group->bytes;
	case SORT_SIMILARITY:
		return least_similar(groups, group);
	case SORT_PATH:
		return 0;
	case SORT_FILES:
		return -(double)group->count;
	case SORT_DEFAULT:
	case SORT_SAVED:
	default:
		return -(double)group->copied_bytes;
	}
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed_group *x = a, *y = b;
	int order;

	if (x->key != y->key)
		order = x->key < y->key ? -1 : 1;
	else if (x->then != y->then)
		order = x->then < y->then ? -1 : 1;
	else
		order = find_file_compare(x->group.representative, y->group.representative);
	return x->reverse ? -order : order;
}

int group_list_sort(struct group_list *groups, const struct listing_order *order,
		    struct simhash_error *error)
{
	struct placed_group *placed = malloc((groups->count + 1) * sizeof *placed);

	if (placed == NULL)
		return error_set_memory(error);
	for (size_t g = 0; g < groups->count; g++) {
		const struct group *group = &groups->groups[g];
		placed[g] = (struct placed_group){
			.key = group_sort_key(groups, group, order->by),
			.then = order->by == SORT_PATH ? 0 : -(double)group->bytes,
			.group = *group,
			.reverse = order->reverse};
	}
	qsort(placed, groups->count, sizeof *placed, compare_placed);
	for (size_t g = 0; g < groups->count; g++) {
		groups->groups[g] = placed[g].group;
		groups->groups[g].number = g + 1;
	}
	free(placed);
	return 0;
}
