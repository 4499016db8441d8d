/*
 * All rows of a range of the key uniform in its order, then by host and path hash. Several
 * connections read them in the order of the table, each in parts of the primary key, and the
 * program sorts them. A database would copy each row to sort it, and again for each part of the
 * keys.
 *
 *     sorted_rows_read(&rows, finder, finder->store, low, high, false, &error);
 *     sorted_cursor_begin(&cursor, &rows, &range, &error);
 *     while ((status = sorted_cursor_next(&cursor, &row, &error)) == 1)
 *             packed_row_read(row, &file);
 *     sorted_cursor_end(&cursor);
 *     sorted_rows_release(&rows);
 *
 * Rows that do not fit into memory wait in temporary files; see struct find_resources. All rows
 * show the index at one moment. No connection is used after the reading. Any number of threads may
 * go through the rows, each with its own cursors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SORTED_ROWS_H
#define SIMHASH_FIND_SORTED_ROWS_H

#include "find/rows/row_runs.h"
#include "find/rule/finder.h"

struct sorted_rows {
	size_t budget;	       /* bytes of memory for rows */
	size_t cursor_bytes;   /* that a cursor may take for what it reads of files */
	struct row_runs *runs; /* of each thread */
	unsigned runs_count;
	uint64_t passed_over; /* rows that the request is not about */
};

/*
 * The rows from `low` to `high`, both included, and before them those that reach `low`. Reads with
 * the connection of `store`, and others beside it; where it `looks_up`, with that alone and by the
 * index of uniform: for a small part of the rows. To be released whatever this returns.
 */
int sorted_rows_read(struct sorted_rows *rows, const struct finder *finder, struct store *store,
		     int64_t low, int64_t high, bool looks_up, struct simhash_error *error);

uint64_t sorted_rows_count(const struct sorted_rows *rows);

/*
 * Where the rows of a range may be cut: the keys of every ZONE_ROWS-th of them, about, in order. Those
 * that reach too little are left out with all the rows around them. To be freed.
 */
int sorted_rows_marks(const struct sorted_rows *rows, const struct row_range *range, int64_t **keys,
		      size_t *count, struct simhash_error *error);

/* Has every row a resemblance sketch? */
bool sorted_rows_are_sketched(const struct sorted_rows *rows);

void sorted_rows_release(struct sorted_rows *rows);

struct sorted_cursor {
	struct run_cursor merge;
};

/* To be ended whatever this returns. */
int sorted_cursor_begin(struct sorted_cursor *cursor, const struct sorted_rows *rows,
			const struct row_range *range, struct simhash_error *error);

/* The next row, which lives until the one after it: 1, 0 behind the last, -1 for an error. */
int sorted_cursor_next(struct sorted_cursor *cursor, const struct packed_row **row,
		       struct simhash_error *error);

/* Of one that was begun, or is all zero. */
void sorted_cursor_end(struct sorted_cursor *cursor);

#endif
