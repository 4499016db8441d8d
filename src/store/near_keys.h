/*
 * Which rows may be near to a sum table: from the index of cells alone, without reading rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_NEAR_KEYS_H
#define SIMHASH_STORE_NEAR_KEYS_H

#include "store/cells.h"

struct store;

struct row_key {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
};

struct row_keys {
	struct row_key *keys;
	size_t count, capacity;
};

void row_keys_release(struct row_keys *keys);

/* By host and path hash, as rows lie. */
void row_keys_sort(struct row_keys *keys);

/* Bounds of rows in a part of a class; both ends are included. */
struct near_bounds {
	int64_t tag_set, uniform[2], size[2], skew_ext[2];
};

/* How many cells a range has. */
int64_t store_cells_in(const struct cell_range *range);

/* Add the keys of rows within the bounds and the cells. The range should have few cells. */
int store_keys_near(struct store *store, const struct near_bounds *bounds,
		    const struct cell_range *range, struct row_keys *keys,
		    struct simhash_error *error);

#endif
