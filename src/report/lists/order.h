/*
 * The order of pairs and groups in a list, and their maximum number.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_ORDER_H
#define SIMHASH_REPORT_ORDER_H

#include <stdbool.h>

#include "find/groups/group_sorter.h"

enum sort_by {
	SORT_DEFAULT,	 /* pairs by similarity, groups by what they save */
	SORT_SIZE,	 /* the bytes of all files; the largest first */
	SORT_SAVED,	 /* the bytes of copies; the most first */
	SORT_SIMILARITY, /* the most similar first; a group by its least similar member */
	SORT_PATH,	 /* of the first file; for a group, of its representative */
	SORT_FILES	 /* their number; of groups alone */
};

struct listing_order {
	enum sort_by by;
	bool reverse;
	uint64_t limit; /* pairs or groups; 0: all */
};

/* Does it ask for anything? What is not asked for may be written as it is found. */
bool order_is_given(const struct listing_order *order);

/*
 * By what pairs are sorted: the smaller first, then those that are more similar, then by their
 * lines. By SORT_PATH the paths come before the similarity.
 */
double pair_sort_key(const struct listing_order *order, const struct file_pair *pair);

/* Identical; by resemblance; what is a part of another; what only the counts speak for. */
double pair_similarity_key(const struct file_pair *pair);

/* The order of groups. It has no limit. */
struct group_order group_order_of(const struct listing_order *order);

#endif
