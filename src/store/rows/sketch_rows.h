/*
 * Writes and removes rows of the table `sketch` together with the rows of their files. Call the
 * functions in a transaction.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SKETCH_ROWS_H
#define SIMHASH_STORE_SKETCH_ROWS_H

#include "base/basic/bytes.h"
#include "store/row/file_row.h"
#include "store/row/hash_range.h"

struct store;

/* Sketches s of the current content of their files f. */
#define FROM_SKETCHED_FILES                                                       \
	"FROM sketch s JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host " \
	"AND f.path_hash = s.path_hash AND f.content_hash = s.content_hash "

/* A row of the table `sketch`; the file may no longer have this content. */
struct stored_sketch {
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
	int64_t measure, features, cluster;
	struct bytes value;
};

int sketch_rows_insert(struct store *store, const struct row_scope *scope,
		       const struct stored_sketch *sketches, size_t count,
		       struct simhash_error *error);

/* Write the sketches of rows by the requested measures. */
int sketch_rows_write(struct store *store, const struct row_scope *scope,
		      const struct file_row *const *rows, size_t count,
		      struct simhash_error *error);

int sketch_rows_remove(struct store *store, const struct row_scope *scope,
		       const struct hash_range *range, struct simhash_error *error);

#endif
