/*
 * The files of the index around files asked for.
 *
 *     around_begin(&around, finder, store, keys, count);
 *     while ((status = around_next(&around, &file, &near, &near_count, &error)) == 1)
 *             ; // `file` may be near the vicinities of `near`; both are valid until the next call
 *     around_end(&around);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_AROUND_H
#define SIMHASH_FIND_AROUND_H

#include "find/vicinity.h"

struct around {
	const struct finder *finder;
	struct store *store;
	struct row_cursor *cursor;
	const struct near_key *present, *next, *end; /* of the rows of the cursor, and of others */
	struct row_key rows[ROWS_WITH_MAX]; /* that the cursor looks for, which borrows them */
	struct arena arena;		    /* of the present file */
};

/* The rows of some keys, which are in order. All keys of a row must be among them. */
void around_begin(struct around *around, const struct finder *finder, struct store *store,
		  const struct near_key *keys, size_t count);

/* The rows of a vicinity that has too many cells. They come without keys. */
int around_begin_range(struct around *around, const struct finder *finder,
		       const struct vicinity *vicinity, struct simhash_error *error);

/* All rows of the index, likewise. */
int around_begin_all(struct around *around, const struct finder *finder,
		     struct simhash_error *error);

/* The next file: 1, 0 after the last, -1 for an error. */
int around_next(struct around *around, struct find_file *file, const struct near_key **near,
		size_t *near_count, struct simhash_error *error);

void around_end(struct around *around);

#endif
