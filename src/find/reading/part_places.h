/*
 * Finds the places of parts in the files that contain them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PART_PLACES_H
#define SIMHASH_FIND_PART_PLACES_H

#include "find/pairs/pairs.h"
#include "find/reading/content_cache.h"

/* In a pair of a part: the file that contains the other. */
static inline const struct find_file *whole_of(const struct file_pair *pair)
{
	return pair->relation.contained_a >= pair->relation.contained_b ? pair->b : pair->a;
}

/*
 * Set the places in these pairs of a list, which are parts, and sort the array. All parts of a file
 * are searched together, so the file is seldom read more than once. The cache must have located the
 * files. A part that is too large for memory gets no place. Error: memory is short, or the cache
 * has a first error.
 */
int find_part_places(struct pair_list *list, struct file_pair **pairs, size_t count,
		     struct content_cache *cache, const struct find_resources *resources);

#endif
