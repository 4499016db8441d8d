/*
 * The numbers of rows, files and bytes in an index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TOTALS_H
#define SIMHASH_STORE_TOTALS_H

#include "store/row/file_row.h"

struct store;

struct scope_total {
	struct row_scope scope;
	int64_t rows, bytes;
	int64_t resemblances; /* rows that have a resemblance sketch */
};

/*
 * Rows and the sum of their sizes, for each tag set and host that has rows, in this order. Reads
 * all rows. On success the caller frees *totals.
 */
int store_read_totals(struct store *store, struct scope_total **totals, size_t *count,
		      struct simhash_error *error);

/* How many rows a tag set has. */
int store_count_rows(struct store *store, int64_t tag_set, int64_t *rows,
		     struct simhash_error *error);

/* How many of them are of files that are not empty. */
int store_count_not_empty(struct store *store, int64_t tag_set, int64_t *rows,
			  struct simhash_error *error);

/* How many rows of files that are not empty have no resemblance sketch. Reads all rows. */
int store_count_without_resemblance(struct store *store, int64_t tag_set, int64_t *rows,
				    struct simhash_error *error);

/* The bytes that the index occupies, as its engine reports. */
int store_index_bytes(struct store *store, int64_t *bytes, struct simhash_error *error);

#endif
