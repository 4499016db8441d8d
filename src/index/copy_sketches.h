/*
 * The sketches of a part of an index, copied to another.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_COPY_SKETCHES_H
#define SIMHASH_INDEX_COPY_SKETCHES_H

#include "store/store.h"

/* Numbers of measures in the source, and what they are in the target. */
struct measure_map {
	struct measure_number {
		int64_t from, to;
	} * numbers;
	size_t count;
};

/* Enter the measures of one index in the other. On success the numbers are the caller's to free. */
int measure_map_make(struct store *from, struct store *to, struct measure_map *map,
		     struct simhash_error *error);

struct sketch_range {
	const struct row_scope *from, *to;
	const uint8_t *after, *last; /* see stored_sketches_begin */
	/* Is a sketch that the source has one to be copied? */
	bool (*is_wanted)(void *context, const struct stored_sketch *sketch);
	void *context;
};

/* Copy what is wanted and the target has not, or has otherwise; *written counts these. */
int copy_sketches(struct store *from, struct store *to, const struct measure_map *map,
		  const struct sketch_range *range, uint64_t *written, struct simhash_error *error);

#endif
