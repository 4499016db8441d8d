/*
 * Stores the tag sets of an index. A set is identified by its 16 tags and weights: two sets with
 * the same tags and weights are the same set, even if their names differ.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TAG_SETS_H
#define SIMHASH_STORE_TAG_SETS_H

#include <stdbool.h>

#include "simhash.h"
#include "store/names/name_list.h"

struct store;

/*
 * Return the id of a tag set. If the index does not have it, `create` adds it; otherwise returns 0.
 * Error: SIMHASH_E_RANGE if a set with this name and other tags exists and `create` is true.
 */
int store_tag_set_id(struct store *store, const struct simhash_tag_set *set, bool create,
		     int64_t *id, struct simhash_error *error);

/*
 * Read the tag set of an id. On success the caller frees it. Error: SIMHASH_E_RANGE for an unknown
 * id, and for invalid tags.
 */
int store_read_tag_set(struct store *store, int64_t id, struct simhash_tag_set **set,
		       struct simhash_error *error);

/* Read all tag sets. On success the caller releases the list. */
int store_read_tag_sets(struct store *store, struct name_list *tag_sets,
			struct simhash_error *error);

#endif
