/*
 * Finds rows that may be near sum tables, with the index of cells and without reading rows.
 *
 *     if (store_entries_begin(&entries, store, tag_set, cells, count, uniform, error) != 0)
 *             return -1;
 *     while ((status = store_entries_next(&entries, &entry, error)) == 1)
 *             compare(&entry);
 *     store_entries_end(&entries);
 *
 * If most entries are useless, begin instead with store_entries_begin_near(&entries, store,
 * tag_set, &bounds, error), which reads the entries around one sum table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_NEAR_KEYS_H
#define SIMHASH_STORE_NEAR_KEYS_H

#include "store/open/query.h"
#include "store/row/cells.h"
#include "store/rows/row_reader.h"

struct row_key {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
};

/* Compare by host and path hash, which is the order of rows: returns < 0, 0 or > 0. */
int row_key_compare(const struct row_key *a, const struct row_key *b);

/* The values of a row in the index of cells. */
struct cell_entry {
	struct row_key key;
	int64_t cell, uniform, size_bytes, skew_ext, outline[OUTLINES];
};

/* The bounds of entries near a sum table in a class of sizes; both ends are included. */
struct near_bounds {
	int64_t uniform[2], size[2], skew_ext[2];
	struct cell_range cells;
};

struct cell_entries {
	struct query query;
	/* NULL: the query compares the outlines; otherwise store_entries_next does. */
	const struct outline_range *near;
};

/* Read the entries of a few cells, at least 1, within both bounds of uniform, in any order. */
int store_entries_begin(struct cell_entries *entries, struct store *store, int64_t tag_set,
			const int64_t *cells, size_t count, const int64_t uniform[2],
			struct simhash_error *error);

/*
 * Read the entries within the bounds, in any order. There should be only a few cells. The bounds
 * are borrowed until store_entries_end.
 */
int store_entries_begin_near(struct cell_entries *entries, struct store *store, int64_t tag_set,
			     const struct near_bounds *bounds, struct simhash_error *error);

int store_entries_next(struct cell_entries *entries, struct cell_entry *entry,
		       struct simhash_error *error);
void store_entries_end(struct cell_entries *entries);

/*
 * Find the rows that pass a test of their size, their key uniform and their sketch, which is empty
 * for a row without a sketch. No more of the rows is read than the test needs:
 *
 *     status = store_tested_begin(&keys, store, tag_set, &place, uniform, sizes, &test, error);
 *     while (status == 0 && (status = store_tested_next(&keys, &key, error)) == 1)
 *             ; // the last call of the test was for this row
 *     store_tested_end(&keys);
 */
struct tested_keys {
	struct query query;
	const struct row_test *test; /* NULL: the query tests the rows */
};

/*
 * Test the rows within both bounds of uniform and of sizes. With a place, it reads all rows of the
 * place in the order of the table: of some hosts, or of one host in a range of path hashes. With
 * NULL, it looks up each row through the index of uniform. The place and the test are borrowed until
 * the end. If a function fails to begin, there is nothing to end.
 */
int store_tested_begin(struct tested_keys *keys, struct store *store, int64_t tag_set,
		       const struct row_place *place, const int64_t uniform[2],
		       const int64_t sizes[2], struct row_test *test, struct simhash_error *error);
int store_tested_next(struct tested_keys *keys, struct row_key *key, struct simhash_error *error);
void store_tested_end(struct tested_keys *keys);

/* Are at most `most` rows within both bounds? Reads only the index of uniform. */
int store_are_few(struct store *store, int64_t tag_set, const int64_t uniform[2],
		  const int64_t sizes[2], int64_t most, bool *are_few, struct simhash_error *error);

/*
 * Find the rows with one of the sizes from number *first on, in any order; perhaps also rows with
 * other sizes. The sizes are sorted and different. Each call looks for sizes of one class, because
 * the index of cells has their rows in one place, and sets *first to the number of the next size.
 */
int store_sized_begin(struct query *query, struct store *store, int64_t tag_set,
		      const int64_t *sizes, size_t count, size_t *first,
		      struct simhash_error *error);
int store_sized_next(struct query *query, struct row_key *key, int64_t *size_bytes,
		     struct simhash_error *error);

#endif
