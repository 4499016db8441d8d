/*
 * Reads stored sketches in order of path hash, and writes sketches, for copies and exports of an
 * index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SKETCH_COPY_H
#define SIMHASH_STORE_SKETCH_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "store/row/file_row.h"
#include "store/row/hash_range.h"
#include "store/rows/sketch_rows.h"

struct statement;
struct store;

struct stored_sketches {
	struct store *store;
	struct statement *statement;
	struct hash_range rest; /* the range of the remaining hashes */
	bool is_over;
};

/*
 * Read the sketches of a scope in order of path hash and measure, for files after the path hash
 * `after` (NULL: from the first) up to `last` (NULL: to the last).
 */
int stored_sketches_begin(struct stored_sketches *sketches, struct store *store,
			  const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
			  struct simhash_error *error);

/*
 * Get the next sketch, whose value lives until the next call. Returns 1, 0 at the end, -1 for an
 * error.
 */
int stored_sketches_next(struct stored_sketches *sketches, struct stored_sketch *sketch,
			 struct simhash_error *error);

/* Call this even after an error. */
void stored_sketches_end(struct stored_sketches *sketches);

/* Write sketches unchanged, in one transaction. */
int store_write_sketches(struct store *store, const struct row_scope *scope,
			 const struct stored_sketch *sketches, size_t count,
			 struct simhash_error *error);

#endif
