/*
 * Counts rows, files and bytes in an index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TOTALS_H
#define SIMHASH_STORE_TOTALS_H

#include "store/row/file_row.h"

struct store;

struct scope_total {
	struct row_scope scope;
	int64_t rows, bytes;
	int64_t resemblances; /* rows with a resemblance sketch */
	int64_t oldest_ns;    /* the oldest verification of a file; 0: there are only members */
};

/*
 * Read the number of rows and the sum of their sizes, for each tag set and host with rows, in this
 * order, without the texts of documents. Reads all rows. On success the caller frees *totals.
 */
int store_read_totals(struct store *store, struct scope_total **totals, size_t *count,
		      struct simhash_error *error);

/* Count the rows of a tag set. */
int store_count_rows(struct store *store, int64_t tag_set, int64_t *rows,
		     struct simhash_error *error);

/* Count the rows of files that are not empty. */
int store_count_not_empty(struct store *store, int64_t tag_set, int64_t *rows,
			  struct simhash_error *error);

/* Count the rows of files that are not empty and have no resemblance sketch. Reads all rows. */
int store_count_without_resemblance(struct store *store, int64_t tag_set, int64_t *rows,
				    struct simhash_error *error);

/* Read the number of bytes that the index takes, as its engine reports it. */
int store_index_bytes(struct store *store, int64_t *bytes, struct simhash_error *error);

#endif
