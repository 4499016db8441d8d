/*
 * The tag sets of an index. The tags identify a set: the same 16 tags and weights are the same set,
 * regardless of its name.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TAG_SETS_H
#define SIMHASH_STORE_TAG_SETS_H

#include <stdbool.h>

#include "simhash.h"
#include "store/names/name_list.h"

struct store;

/*
 * The id of a tag set; 0 when the index does not have it, unless `create` enters it.
 * Error: SIMHASH_E_RANGE where `create` finds other tags under its name.
 */
int store_tag_set_id(struct store *store, const struct simhash_tag_set *set, bool create,
		     int64_t *id, struct simhash_error *error);

/*
 * The tag set of an id; on success the caller frees it. Error: SIMHASH_E_RANGE for an id that the
 * index does not have, and for tags that are not valid.
 */
int store_read_tag_set(struct store *store, int64_t id, struct simhash_tag_set **set,
		       struct simhash_error *error);

/* All tag sets. On success the caller releases the list. */
int store_read_tag_sets(struct store *store, struct name_list *tag_sets,
			struct simhash_error *error);

#endif
