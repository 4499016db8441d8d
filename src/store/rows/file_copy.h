/*
 * Reads whole rows in order of path hash, for copies and exports of an index.
 *
 *     if (whole_rows_begin(&rows, store, &scope, NULL, NULL, 4096, error) != 0)
 *             return -1;
 *     while ((status = whole_rows_next(&rows, &row, error)) == 1)
 *             keep(row);
 *     whole_rows_end(&rows);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_COPY_H
#define SIMHASH_STORE_FILE_COPY_H

#include <stdbool.h>

#include "store/row/file_row.h"
#include "store/row/hash_range.h"

struct statement;
struct store;

struct whole_rows {
	struct store *store;
	struct statement *statement;
	struct file_row row;
	struct hash_range rest; /* of the hashes to come */
	bool is_over;
};

/*
 * The rows of a scope after the path hash `after` (NULL: from the first) up to `last` (NULL: to
 * the last), but at most `limit`.
 */
int whole_rows_begin(struct whole_rows *rows, struct store *store, const struct row_scope *scope,
		     const uint8_t *after, const uint8_t *last, int64_t limit,
		     struct simhash_error *error);

/* The next row, which lives until the one after it: 1, 0 at the end, -1 for an error. */
int whole_rows_next(struct whole_rows *rows, const struct file_row **row,
		    struct simhash_error *error);

/* To be called whatever whole_rows_begin and whole_rows_next returned. */
void whole_rows_end(struct whole_rows *rows);

#endif
