/*
 * Reads the files of the index that may be near to requested files.
 *
 *     queried_rows_begin(&rows, finder, store, keys, count);
 *     while ((status = queried_rows_next(&rows, &file, &near, &near_count, &error)) == 1)
 *             ; // `file` may be near the reaches of `near`; both are valid until the next call
 *     queried_rows_end(&rows);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_ROWS_H
#define SIMHASH_FIND_QUERIED_ROWS_H

#include "find/query/queried_keys.h"

struct queried_rows {
	const struct finder *finder;
	struct store *store;
	struct row_cursor cursor;
	const struct queried_key *present, *next,
		*end; /* of the rows of the cursor, and of others */
	/* By the cursor, which borrows them. */
	uint8_t looked_for[ROWS_WITH_MAX][PATH_HASH_SIZE];
	struct arena arena; /* of the present file */
};

/* The rows of some keys, which are in order. All keys of a row must be among them. */
void queried_rows_begin(struct queried_rows *rows, const struct finder *finder, struct store *store,
			const struct queried_key *keys, size_t count);

/* The rows of a reach that has too many cells. They come without keys. */
int queried_rows_begin_range(struct queried_rows *rows, const struct finder *finder,
			     const struct queried_reach *reach, struct simhash_error *error);

/* All rows of the index, likewise. */
int queried_rows_begin_all(struct queried_rows *rows, const struct finder *finder,
			   struct simhash_error *error);

/* The next file: 1, 0 after the last, -1 for an error. */
int queried_rows_next(struct queried_rows *rows, struct find_file *file,
		      const struct queried_key **near, size_t *near_count,
		      struct simhash_error *error);

void queried_rows_end(struct queried_rows *rows);

#endif
