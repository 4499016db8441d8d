/*
 * Reads rows of the table `file`. The caller chooses the columns, the rows and their order.
 *
 *     const struct row_filter filter = {
 *             .columns = ROW_HOST | ROW_DIRECTORY | ROW_NAME, .tag_set = tag_set};
 *     struct file_row row = {.host = 0};
 *     struct row_cursor cursor;
 *     if (store_rows_lying(&cursor, store, &filter, NULL, error) != 0)
 *             return -1;
 *     while ((status = store_rows_next(&cursor, &row, error)) == 1)
 *             show(&row);
 *     store_rows_end(&cursor);
 *     return status;
 *
 * There may be any number of rows. A row's bytes live until the next row; members without a column
 * do not change. On a server a cursor occupies its connection until it ends. If a function fails to
 * begin a cursor, there is nothing to end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ROW_READER_H
#define SIMHASH_STORE_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "store/rows/row_columns.h"

/* A cursor of zeros has no rows. */
struct row_cursor {
	struct query query;
	unsigned columns;
	unsigned more;	   /* the number of the first column after these */
	size_t hash_count; /* for store_rows_with: parameters */
	bool is_ordered;   /* by path hash */
	/* if ordered: the remaining hashes, starting with the last one returned */
	struct hash_range rest;
};

/* How rows are sorted by a key. */
enum row_order {
	ORDER_BY_INDEX,	 /* the database looks up each row: for a small part of the rows */
	ORDER_BY_SORTING /* the database reads and sorts all rows: for most of the rows */
};

/*
 * The selected rows, and their columns. If rows are sorted by a key: its range, with both ends
 * included.
 */
struct row_filter {
	unsigned columns;
	int64_t tag_set;
	bool with_empty; /* include files of size 0 */
	enum simhash_key key;
	int64_t low, high;
	enum row_order order;
};

/*
 * Begin a cursor with the columns and then the formatted text, which begins with more columns or
 * with FROM. The other functions use this one. The statement is kept as `which` unless that is
 * NOT_KEPT; a kept statement must always have the same text. The caller binds its parameters.
 */
__attribute__((format(printf, 6, 7))) int rows_begin(struct row_cursor *cursor, struct store *store,
						     unsigned columns, enum kept_statement which,
						     struct simhash_error *error,
						     const char *format, ...);

/* For "(?%.*s)": `count` parameters, 1 to ROWS_WITH_MAX. */
#define ROWS_WITH_MAX 64
#define MARKS_4 ", ?, ?, ?, ?"
#define MARKS_16 MARKS_4 MARKS_4 MARKS_4 MARKS_4
#define ROWS_MARKS(count) (int)(3 * ((count)-1)), MARKS_16 MARKS_16 MARKS_16 MARKS_16

#define ROWS_OF_SCOPE " FROM file f WHERE f.tag_set = ? AND f.host = ? "
#define ROWS_OF_RANGE ROWS_OF_SCOPE "AND f.path_hash BETWEEN ? AND ? ORDER BY f.path_hash"

/*
 * Read the rows of a scope in a range of path hashes, in this order, but at most `most`. Error: the
 * index is damaged and has another order.
 */
int rows_begin_range(struct row_cursor *cursor, struct store *store, unsigned columns,
		     enum kept_statement which, const struct row_scope *scope,
		     const struct hash_range *range, int64_t most, struct simhash_error *error);

/*
 * The same for the rows after the path hash `after` (NULL: from the first) up to `last` (NULL: to
 * the last).
 */
int store_rows_after(struct row_cursor *cursor, struct store *store, unsigned columns,
		     const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
		     int64_t most, struct simhash_error *error);

/*
 * Read the rows in the filter's range of its key, in order of the key, then of host and path hash.
 */
int store_rows_in_order(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, struct simhash_error *error);

/*
 * A part of the table: all rows of some hosts; or the first rows of one host with path hashes in a
 * range. Optionally only some partitions.
 */
struct row_place {
	const char *partitions; /* a list of struct partitions; NULL: all */
	/* both are included; if they are equal, the members below are used */
	int64_t first_host, last_host;
	struct hash_range hashes;
	int64_t most; /* rows */
};

/* Read the rows of a place (NULL: all). The rows of one host come in order of path hash. */
int store_rows_lying(struct row_cursor *cursor, struct store *store,
		     const struct row_filter *filter, const struct row_place *place,
		     struct simhash_error *error);

/*
 * Like store_rows_in_order, but only rows that are large enough to reach the key `target` from
 * below. A row reaches size * up / down + 2 beyond its key. Examines every entry of the index of
 * uniform in the range, and reads only the rows that reach. The filter's key must be
 * SIMHASH_UNIFORM.
 */
int store_rows_reaching(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t target, int64_t up, int64_t down,
			struct simhash_error *error);

/*
 * Read the rows in the filter's range of uniform and in a range of sizes, with both ends included,
 * in any order. The index of uniform contains both values, so only matching rows are read.
 */
int store_rows_near(struct row_cursor *cursor, struct store *store, const struct row_filter *filter,
		    const int64_t sizes[2], struct simhash_error *error);

/*
 * Read the existing rows of a scope with these path hashes, 1 to ROWS_WITH_MAX, in any order. The
 * hashes are borrowed until the cursor ends. The cursor may be reused after all its rows were read.
 * Then no statement is prepared, unless there are more hashes than before. Whole rows need only one
 * statement.
 */
int store_rows_with(struct row_cursor *cursor, struct store *store, unsigned columns,
		    const struct row_scope *scope, const uint8_t (*hashes)[PATH_HASH_SIZE],
		    size_t count, struct simhash_error *error);

/*
 * Read the rows of a tag set with a sketch by a measure for their current content, in order of host
 * and path hash.
 */
int store_rows_sketched(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t measure,
			struct simhash_error *error);

/* Get the next row. Returns 1, 0 at the end, -1 for an error. */
int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error);

/*
 * Get the sketch of the last row of store_rows_sketched; it lives until the next row. Error: a
 * value that does not have `size` bytes.
 */
int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error);

/* End a cursor, even after an error; more than one call is allowed. */
void store_rows_end(struct row_cursor *cursor);

/*
 * Among the rows with a key of at least `from`, in order of uniform, skip `skip` rows and return
 * the key of the next. INT64_MAX if there are fewer rows.
 */
int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error);

#endif
