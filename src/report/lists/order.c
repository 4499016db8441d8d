/*
 * Computes the sort keys of pairs and groups.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/order.h"

#include <math.h>

#include "report/lists/formatter.h"

bool order_is_given(const struct listing_order *order)
{
	return order->by != SORT_DEFAULT || order->reverse || order->limit > 0;
}

double pair_similarity_key(const struct file_pair *pair)
{
	const struct relation *relation = &pair->relation;

	if (relation->is_identical)
		return -1;
	if (relation->is_part)
		return 2 - larger_containment(relation);
	return has_resemblance(relation) ? 1 - relation->resemblance : 2 + count_difference(pair);
}

double pair_sort_key(const struct listing_order *order, const struct file_pair *pair)
{
	switch (order->by) {
	case SORT_SIZE:
		return -((double)find_file_bytes(pair->a) + (double)find_file_bytes(pair->b));
	case SORT_SAVED:
		return pair->relation.is_identical ? -(double)find_file_bytes(pair->a) : 0;
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

static double least_similar(const struct group *group, const struct group_member *members)
{
	double key = -1;

	for (size_t m = 1; m < group->count; m++) {
		struct file_pair pair = member_pair(group, &members[m]);
		key = fmax(key, pair_similarity_key(&pair));
	}
	return key;
}

static double largest(const struct group *group, const struct group_member *members)
{
	(void)members;
	return -(double)group->bytes;
}

static double most_files(const struct group *group, const struct group_member *members)
{
	(void)members;
	return -(double)group->count;
}

struct group_order group_order_of(const struct listing_order *order)
{
	static group_key_fn *const keys[] = {
		[SORT_DEFAULT] = NULL, [SORT_SIZE] = largest,	  [SORT_SAVED] = NULL,
		[SORT_PATH] = NULL,    [SORT_FILES] = most_files, [SORT_SIMILARITY] = least_similar,
	};

	return (struct group_order){.key = keys[order->by],
				    .by_path = order->by == SORT_PATH,
				    .reverse = order->reverse};
}
