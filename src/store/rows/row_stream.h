/*
 * Streams of rows, which simfind reads.
 *
 *     if (store_rows_in_order(store, &range, &cursor, error) != 0)
 *             return -1;
 *     while ((status = store_rows_next(cursor, &row, error)) == 1)
 *             compare(&row);
 *     store_rows_end(cursor);
 *     return status;
 *
 * A stream may have any length. Each row has its host, path_hash, directory, name, size_bytes,
 * compressed_size_bytes, mtime_ns, content_hash, table, the key uniform and one more key; device
 * and inode; and, if it is asked for and the index has it, its resemblance sketch. Its bytes live
 * until the next row. On a server a stream occupies its connection until it ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ROW_STREAM_H
#define SIMHASH_STORE_ROW_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "store/row/file_row.h"
#include "store/row/hash_range.h"
#include "store/rows/near_keys.h"

struct row_cursor;
struct store;

/* How rows are brought into order. */
enum row_order {
	ORDER_BY_INDEX,	  /* each row is looked up: for a small part of the rows */
	ORDER_BY_SORTING, /* all rows are read and sorted by the database: for most of them */
	ORDER_NONE	  /* as they lie */
};

/* Which rows: a tag set, and a range of a key, both ends included. */
struct key_range {
	int64_t tag_set;
	enum simhash_key key;
	int64_t low, high;
	bool with_empty;       /* files of size 0 too */
	enum simhash_key also; /* the second key of the rows if `key` is uniform */
	enum row_order order;
	bool with_resemblance; /* read the resemblance sketches too */
};

/* The rows in a range in order of the key, then of host and path hash. */
int store_rows_in_order(struct store *store, const struct key_range *range,
			struct row_cursor **cursor, struct simhash_error *error);

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

/* The rows of a place, of any key. Those of one host come in the order of their path hashes. */
int store_rows_lying(struct store *store, const struct key_range *range,
		     const struct row_place *place, struct row_cursor **cursor,
		     struct simhash_error *error);

/*
 * Those rows of store_rows_in_order that are large enough to reach the key `target` from below:
 * a row reaches size * up / down + 2 beyond its key. Looks at every entry of the index of
 * uniform in the range, and reads only the rows of these; `range->key` must be SIMHASH_UNIFORM.
 */
int store_rows_reaching(struct store *store, const struct key_range *range, int64_t target,
			int64_t up, int64_t down, struct row_cursor **cursor,
			struct simhash_error *error);

/*
 * Bounds of what can be near to a file; both ends are included. They are in the index of uniform,
 * so that only rows within them are read.
 */
struct near_range {
	int64_t tag_set;
	enum simhash_key key; /* the second key of the rows; has no bounds */
	int64_t uniform[2], size[2];
	bool with_resemblance;
};
int store_rows_near(struct store *store, const struct near_range *range, struct row_cursor **cursor,
		    struct simhash_error *error);

/*
 * The rows of a host with these path hashes, 1 to ROWS_WITH_MAX, that there are; in any order. The
 * keys are borrowed until store_rows_end. `key` is the second key.
 */
#define ROWS_WITH_MAX 64
int store_rows_with(struct store *store, const struct row_scope *scope, const struct row_key *keys,
		    size_t count, enum simhash_key key, bool with_resemblance,
		    struct row_cursor **cursor, struct simhash_error *error);

/*
 * Read the rows of other keys by a cursor that store_rows_with made, and whose rows were read to
 * their end, without preparing a statement: false if it was made for fewer keys, or is NULL.
 */
bool store_rows_with_others(struct row_cursor *cursor, const struct row_scope *scope,
			    const struct row_key *keys, size_t count);

/*
 * The rows of a tag set that have a sketch by a measure, of the content that they have now, in
 * order of host and path hash; `key` is the second key.
 */
int store_rows_sketched(struct store *store, int64_t tag_set, int64_t measure, enum simhash_key key,
			bool with_empty, bool with_resemblance, struct row_cursor **cursor,
			struct simhash_error *error);

/*
 * The next row: 1, 0 at the end, -1 for an error. Rows whose numbers no file can have (a
 * negative size, a count above the size, a resemblance sketch that is none) are errors.
 */
int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error);

/*
 * The sketch of the last row of store_rows_sketched; it lives until the next row. Error: a value
 * that does not have `size` bytes.
 */
int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error);

void store_rows_end(struct row_cursor *cursor); /* NULL is fine */

/*
 * In order of uniform, from the first row on whose key is at least `from`: the key of the row
 * that `skip` others come before; INT64_MAX when there are fewer.
 */
int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error);

#endif
