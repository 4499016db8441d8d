/*
 * Copies the sketches of a part of an index to another index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_COPY_SKETCHES_H
#define SIMHASH_INDEX_COPY_SKETCHES_H

#include "store/row/file_row.h"

struct store;

/* The ids of measures in the source and in the target. */
struct measure_map {
	struct measure_ids {
		int64_t from, to;
	} * ids;
	size_t count;
};

/* Add the measures of one index to the other. On success the caller frees map->ids. */
int measure_map_make(struct store *from, struct store *to, struct measure_map *map,
		     struct simhash_error *error);

struct sketch_range {
	const struct row_scope *from, *to;
	const uint8_t *after, *last; /* see stored_sketches_begin */
	/*
	 * The rows of this range whose sketches are copied if they belong to the current content.
	 */
	const struct file_row *const *rows; /* sorted by path hash */
	size_t row_count;
};

/*
 * Copy the sketches that the target lacks or that differ in the target. *written is their number.
 */
int copy_sketches(struct store *from, struct store *to, const struct measure_map *map,
		  const struct sketch_range *range, uint64_t *written, struct simhash_error *error);

#endif
