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
 * There may be any number of rows. A row's bytes live until the next row; members that are not among
 * the columns stay as they are. On a server a cursor occupies its connection until it ends. A function
 * that begins one has nothing to end where it fails.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ROW_READER_H
#define SIMHASH_STORE_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "store/rows/row_columns.h"

/* All zero is a cursor without rows. */
struct row_cursor {
	struct query query;
	unsigned columns;
	unsigned more;		/* the number of the first column after these */
	size_t hash_count;	/* of store_rows_with: parameters */
	bool is_ordered;	/* by path hash */
	struct hash_range rest; /* then of the hashes to come, beginning with the last one */
};

/* How rows are brought into the order of a key. */
enum row_order {
	ORDER_BY_INDEX,	 /* each row is looked up: for a small part of the rows */
	ORDER_BY_SORTING /* all rows are read and sorted by the database: for most of them */
};

/* Which rows, and what of them. Where a key orders them: those in a range, both ends included. */
struct row_filter {
	unsigned columns;
	int64_t tag_set;
	bool with_empty; /* files of size 0 too */
	enum simhash_key key;
	int64_t low, high;
	enum row_order order;
};

/*
 * Begin with a statement that the others are made of: the columns, then what `format` makes, which
 * begins with more columns or with FROM. It is kept as `which` unless that is NOT_KEPT; then its
 * text is always the same. The caller binds its parameters.
 */
__attribute__((format(printf, 6, 7))) int rows_begin(struct row_cursor *cursor, struct store *store,
						     unsigned columns, enum kept_statement which,
						     struct simhash_error *error,
						     const char *format, ...);

/* For "(?%.*s)": parameters after the first of `count`, which are 1 to ROWS_WITH_MAX. */
#define ROWS_WITH_MAX 64
#define MARKS_4 ", ?, ?, ?, ?"
#define MARKS_16 MARKS_4 MARKS_4 MARKS_4 MARKS_4
#define ROWS_MARKS(count) (int)(3 * ((count)-1)), MARKS_16 MARKS_16 MARKS_16 MARKS_16

#define ROWS_OF_SCOPE " FROM file f WHERE f.tag_set = ? AND f.host = ? "
#define ROWS_OF_RANGE ROWS_OF_SCOPE "AND f.path_hash BETWEEN ? AND ? ORDER BY f.path_hash"

/*
 * The rows of a scope in a range of path hashes, in this order, but at most `most`. Error: the index
 * is damaged and has another order.
 */
int rows_begin_range(struct row_cursor *cursor, struct store *store, unsigned columns,
		     enum kept_statement which, const struct row_scope *scope,
		     const struct hash_range *range, int64_t most, struct simhash_error *error);

/* The same of the rows after the path hash `after` (NULL: the first) up to `last` (NULL: the last). */
int store_rows_after(struct row_cursor *cursor, struct store *store, unsigned columns,
		     const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
		     int64_t most, struct simhash_error *error);

/* The rows in the filter's range of its key, in order of the key, then of host and path hash. */
int store_rows_in_order(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, struct simhash_error *error);

/*
 * Where rows lie: all of some hosts, or of one host those whose path hashes are in a range, and of
 * these the first ones. In the whole table, or in some of its partitions.
 */
struct row_place {
	const char *partitions;	       /* a list of struct partitions; NULL: the table */
	int64_t first_host, last_host; /* both included; equal: what follows counts */
	struct hash_range hashes;
	int64_t most; /* rows */
};

/* The rows of a place (NULL: all) of any key. Those of one host come in order of path hash. */
int store_rows_lying(struct row_cursor *cursor, struct store *store,
		     const struct row_filter *filter, const struct row_place *place,
		     struct simhash_error *error);

/*
 * Those rows of store_rows_in_order that are large enough to reach the key `target` from below:
 * a row reaches size * up / down + 2 beyond its key. Looks at every entry of the index of
 * uniform in the range, and reads only the rows of these; the filter's key must be SIMHASH_UNIFORM.
 */
int store_rows_reaching(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t target, int64_t up, int64_t down,
			struct simhash_error *error);

/*
 * The rows in the filter's range of uniform and in one of sizes, both ends included, in any order.
 * Both are in the index of uniform, so that only rows within them are read.
 */
int store_rows_near(struct row_cursor *cursor, struct store *store, const struct row_filter *filter,
		    const int64_t sizes[2], struct simhash_error *error);

/*
 * The rows of a scope with these path hashes, 1 to ROWS_WITH_MAX, that there are; in any order. The
 * hashes are borrowed until the cursor ends. It may be one that read rows with others to their end:
 * if they were not fewer, no statement is prepared. None is for whole rows after the first time.
 */
int store_rows_with(struct row_cursor *cursor, struct store *store, unsigned columns,
		    const struct row_scope *scope, const uint8_t (*hashes)[PATH_HASH_SIZE],
		    size_t count, struct simhash_error *error);

/*
 * The rows of a tag set that have a sketch by a measure, of the content that they have now, in
 * order of host and path hash.
 */
int store_rows_sketched(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t measure,
			struct simhash_error *error);

/* The next row: 1, 0 at the end, -1 for an error. */
int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error);

/*
 * The sketch of the last row of store_rows_sketched; it lives until the next row. Error: a value
 * that does not have `size` bytes.
 */
int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error);

/* To be called whatever began the cursor and returned; more than once is fine. */
void store_rows_end(struct row_cursor *cursor);

/*
 * In order of uniform, from the first row on whose key is at least `from`: the key of the row
 * that `skip` others come before; INT64_MAX when there are fewer.
 */
int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error);

#endif
