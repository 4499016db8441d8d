/*
 * The sketches of a measure as a whole: how many files have one, and removing a measure.
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
 * How many files have a sketch by a measure, of the content that they have now: files of a tag
 * set, or of all if `tag_set` is 0. Reads all sketches of the measure.
 */
int store_count_sketches(struct store *store, int64_t tag_set, int64_t measure, int64_t *files,
			 struct simhash_error *error);

/* The files of a tag set without such a sketch, in the order of the table; see row_reader.h. */
int store_rows_unsketched(struct row_cursor *cursor, struct store *store, unsigned columns,
			  int64_t tag_set, int64_t measure, struct simhash_error *error);

/*
 * The sketches of a measure whose values are hashes, of the content that files of a tag set have
 * now, in no order. The caller ends the query. The next is 1, 0 after the last, or -1.
 */
int store_find_hashes(struct store *store, int64_t tag_set, int64_t measure, struct query *query,
		      struct simhash_error *error);
int store_next_hash(struct query *query, size_t size, uint8_t *hash, uint8_t *content_hash,
		    struct simhash_error *error);

/* Remove a measure and all sketches by it, a part at a time. */
int store_remove_measure(struct store *store, int64_t measure, int64_t *removed,
			 struct simhash_error *error);

#endif
