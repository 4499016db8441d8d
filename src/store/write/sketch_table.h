/*
 * Handles all sketches of a measure: counts files that have one, lists files that lack one, and
 * removes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SKETCH_TABLE_H
#define SIMHASH_STORE_SKETCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct store;
struct query;
struct row_cursor;

/*
 * Count the files whose current content has a sketch by a measure: files of a tag set, or all files
 * if `tag_set` is 0. Reads all sketches of the measure.
 */
int store_count_sketches(struct store *store, int64_t tag_set, int64_t measure, int64_t *files,
			 struct simhash_error *error);

/* Read the files of a tag set without such a sketch, in table order; see row_reader.h. */
int store_rows_unsketched(struct row_cursor *cursor, struct store *store, unsigned columns,
			  int64_t tag_set, int64_t measure, struct simhash_error *error);

/*
 * Read the hashes that are stored as sketches of a measure, for the current content of the files of
 * a tag set, in any order. The caller ends the query. Reading the next returns 1, 0 after the last,
 * or -1.
 */
int store_find_hashes(struct store *store, int64_t tag_set, int64_t measure, struct query *query,
		      struct simhash_error *error);
int store_next_hash(struct query *query, size_t size, uint8_t *hash, uint8_t *content_hash,
		    struct simhash_error *error);

/* Remove a measure and all its sketches, in several transactions. */
int store_remove_measure(struct store *store, int64_t measure, int64_t *removed,
			 struct simhash_error *error);

#endif
