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
	struct hash_range rest; /* of the hashes to come */
	bool is_over;
};

/*
 * The sketches of a scope in order of path hash and measure, of files after the path hash
 * `after` (NULL: from the first) up to `last` (NULL: to the last).
 */
int stored_sketches_begin(struct stored_sketches *sketches, struct store *store,
			  const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
			  struct simhash_error *error);

/* The next sketch, whose value lives until the one after it: 1, 0 at the end, -1 for an error. */
int stored_sketches_next(struct stored_sketches *sketches, struct stored_sketch *sketch,
			 struct simhash_error *error);

/* To be called whatever stored_sketches_begin and stored_sketches_next returned. */
void stored_sketches_end(struct stored_sketches *sketches);

/* Write sketches as they are, in one transaction. */
int store_write_sketches(struct store *store, const struct row_scope *scope,
			 const struct stored_sketch *sketches, size_t count,
			 struct simhash_error *error);

#endif
