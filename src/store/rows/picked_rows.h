/*
 * Reads whole rows of some files.
 *
 *     if (picked_rows_begin(&rows, store, &scope, hashes, count, error) != 0)
 *             return -1;
 *     while ((status = picked_rows_next(&rows, &row, error)) == 1)
 *             keep(row);
 *     picked_rows_end(&rows);
 *
 * After a lost connection the caller begins again: see store_recover.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_PICKED_ROWS_H
#define SIMHASH_STORE_PICKED_ROWS_H

#include <stdbool.h>

#include "store/row/file_row.h"

struct store;

#define PICKED_ROWS_MAX 64

struct picked_rows {
	struct store *store;
	struct file_row row;
	bool is_running;
};

/* The rows of these path hashes, 1 to PICKED_ROWS_MAX and borrowed, that there are; in any order. */
int picked_rows_begin(struct picked_rows *rows, struct store *store, const struct row_scope *scope,
		      const uint8_t (*hashes)[PATH_HASH_SIZE], size_t count,
		      struct simhash_error *error);

/* The next row, which lives until the one after it: 1, 0 at the end, -1 for an error. */
int picked_rows_next(struct picked_rows *rows, const struct file_row **row,
		     struct simhash_error *error);

/* To be called whatever picked_rows_begin and picked_rows_next returned. */
void picked_rows_end(struct picked_rows *rows);

#endif
