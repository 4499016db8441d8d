/*
 * Keeps the best pairs in a list, and sorts and cuts the list each time it reaches twice its
 * intended length.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/best_pairs.h"

#include <stdlib.h>

static int compare_pairs(const void *a, const void *b)
{
	const struct file_pair *x = a, *y = b;
	int order = relations_compare(&x->relation, &y->relation);

	/* If all resemblances are equal, identical files come before estimates. */
	if (order == 0)
		order = y->relation.is_identical - x->relation.is_identical;
	if (order == 0)
		order = strcmp(x->a->display, y->a->display);
	return order != 0 ? order : strcmp(x->b->display, y->b->display);
}

void best_pairs_init(struct best_pairs *best, size_t max)
{
	*best = (struct best_pairs){.max = max};
	pair_list_init(&best->list);
}

void best_pairs_release(struct best_pairs *best)
{
	pair_list_release(&best->list);
}

void best_pairs_settle(struct best_pairs *best)
{
	struct pair_list *list = &best->list;

	if (list->count > 0)
		qsort(list->pairs, list->count, sizeof *list->pairs, compare_pairs);
	if (list->count <= best->max)
		return;
	list->count = best->max;
	best->is_cut = true;
}

int best_pairs_add(struct best_pairs *best, const struct file_pair *pair,
		   struct simhash_error *error)
{
	struct pair_list *list = &best->list;
	int status = 0;

	if (best->max == 0)
		return 0;
	pthread_mutex_lock(&list->lock);
	if (!best->is_cut || compare_pairs(pair, &list->pairs[best->max - 1]) < 0)
		status = pair_list_append(list, pair, error);
	if (status == 0 && list->count / 2 >= best->max)
		best_pairs_settle(best);
	pthread_mutex_unlock(&list->lock);
	return status;
}
