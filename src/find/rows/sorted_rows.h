/*
 * Reads all rows in a range of the key uniform, and sorts them by uniform, host and path hash.
 * Several connections read the rows in the order of the table, each in parts of the primary key,
 * and the program sorts them. To sort rows itself, a database would copy each row, and again for
 * each part of the keys.
 *
 *     sorted_rows_read(&rows, finder, finder->store, low, high, false, &error);
 *     sorted_cursor_begin(&cursor, &rows, &range, &error);
 *     while ((status = sorted_cursor_next(&cursor, &row, &error)) == 1)
 *             packed_row_read(row, &file);
 *     sorted_cursor_end(&cursor);
 *     sorted_rows_release(&rows);
 *
 * Rows that do not fit into memory are in temporary files; see struct find_resources. All rows show
 * the index at the same moment. No connection is used after the rows were read. Any number of
 * threads may read the sorted rows, each with its own cursors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SORTED_ROWS_H
#define SIMHASH_FIND_SORTED_ROWS_H

#include "find/rows/row_runs.h"
#include "find/rule/finder.h"

struct sorted_rows {
	size_t budget;	       /* the limit for rows in memory, in bytes */
	size_t cursor_bytes;   /* the size of a cursor's buffers for files */
	struct row_runs *runs; /* the runs of each thread */
	unsigned runs_count;
	uint64_t passed_over; /* the number of rows that the request does not cover */
};

/*
 * Read the rows from `low` to `high`, both included, and the earlier rows that reach `low`. Uses
 * the connection of `store` and opens more. With `looks_up`, it uses only that connection and the
 * index of uniform, which is better for a small part of the rows. Always release the rows, also
 * after an error.
 */
int sorted_rows_read(struct sorted_rows *rows, const struct finder *finder, struct store *store,
		     int64_t low, int64_t high, bool looks_up, struct simhash_error *error);

/* Count the parts of the sketches of all contents, each content once. */
int sorted_rows_count_contents(const struct sorted_rows *rows, struct common_content *common,
			       struct simhash_error *error);

uint64_t sorted_rows_count(const struct sorted_rows *rows);

/*
 * Return keys that may divide the rows of a range, sorted, about one for ZONE_ROWS rows. Zones
 * whose rows do not reach far enough are left out. The caller frees the keys.
 */
int sorted_rows_marks(const struct sorted_rows *rows, const struct row_range *range, int64_t **keys,
		      size_t *count, struct simhash_error *error);

/* Do all rows have a resemblance sketch? */
bool sorted_rows_are_sketched(const struct sorted_rows *rows);

void sorted_rows_release(struct sorted_rows *rows);

struct sorted_cursor {
	struct run_cursor merge;
};

/* Always end the cursor, also after an error. */
int sorted_cursor_begin(struct sorted_cursor *cursor, const struct sorted_rows *rows,
			const struct row_range *range, struct simhash_error *error);

/*
 * The next row, which is valid until the next call. Returns 1, 0 after the last one, or -1 for an
 * error.
 */
int sorted_cursor_next(struct sorted_cursor *cursor, const struct packed_row **row,
		       struct simhash_error *error);

/* For a cursor that was begun, or that is all zero. */
void sorted_cursor_end(struct sorted_cursor *cursor);

#endif
