/*
 * All rows of a range of the key uniform in its order, then by host and path hash. Read as they
 * lie, by several connections that each take parts of the primary key, and sorted here: the
 * database would copy each row to sort it, and again for each part of the keys.
 *
 *     sorted_rows_read(&rows, finder, finder->store, low, high, &error);
 *     while ((status = sorted_rows_next(&rows, &row, &error)) == 1)
 *             packed_row_read(row, &file);
 *     sorted_rows_release(&rows);
 *
 * What does not fit into memory waits in temporary files; see struct find_resources. The rows are
 * those of one moment. No connection is used after the reading.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SORTED_ROWS_H
#define SIMHASH_FIND_SORTED_ROWS_H

#include "find/finder.h"
#include "find/row_runs.h"

struct sorted_rows {
	size_t budget;	       /* bytes of memory for rows */
	struct row_runs *runs; /* of each thread */
	unsigned runs_count;
	struct run_reader *readers;
	struct run_reader **heap; /* the first one has the next row */
	size_t reader_count, heap_count;
	bool has_begun;
	uint64_t passed_over; /* rows that the request is not about */
};

/*
 * The rows from `low` to `high`, both included, and before them those that reach `low`. Reads with
 * the connection of `store`, and others beside it. To be released whatever this returns.
 */
int sorted_rows_read(struct sorted_rows *rows, const struct finder *finder, struct store *store,
		     int64_t low, int64_t high, struct simhash_error *error);

/* The next row, which lives until the one after it: 1, 0 behind the last, -1 for an error. */
int sorted_rows_next(struct sorted_rows *rows, const struct packed_row **row,
		     struct simhash_error *error);

void sorted_rows_release(struct sorted_rows *rows);

#endif
