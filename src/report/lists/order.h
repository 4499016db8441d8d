/*
 * Defines the order of pairs and groups in a list, and their maximum number.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_ORDER_H
#define SIMHASH_REPORT_ORDER_H

#include <stdbool.h>

#include "find/groups/group_sorter.h"

enum sort_by {
	SORT_DEFAULT,	 /* pairs by similarity, groups by saved bytes */
	SORT_SIZE,	 /* the bytes of all files; the largest first */
	SORT_SAVED,	 /* the bytes of copies; the most first */
	SORT_SIMILARITY, /* the most similar first; a group by its least similar member */
	SORT_PATH,	 /* the path of the first file or, for a group, of its representative */
	SORT_FILES	 /* the number of files; only for groups */
};

struct listing_order {
	enum sort_by by;
	bool reverse;
	uint64_t limit; /* the maximum number of pairs or groups; 0: all */
};

/* Is any order requested? If not, items may be written in the order in which they are found. */
bool order_is_given(const struct listing_order *order);

/*
 * The sort key of a pair: smaller keys come first, then pairs that are more similar, then by their
 * lines. With SORT_PATH, the paths come before the similarity.
 */
double pair_sort_key(const struct listing_order *order, const struct file_pair *pair);

/*
 * The sort key of a pair by similarity: identical pairs come first, then pairs by resemblance, then
 * parts of other files, then pairs by counts alone.
 */
double pair_similarity_key(const struct file_pair *pair);

/* The order of groups, without the limit. */
struct group_order group_order_of(const struct listing_order *order);

#endif
