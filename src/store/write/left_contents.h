/*
 * Removes the pieces of contents that no file has any more. Call these functions in the transaction
 * that removes or replaces the rows of the files:
 *
 *     struct left_contents left = {.count = 0};
 *     left_contents_note(&left, store, scope, &range, error);       // before rows are removed
 *     left_contents_note_rows(&left, store, scope, rows, count, error);    // ... or replaced
 *     ... change the rows
 *     left_contents_remove(&left, store, scope, error);
 *     left_contents_release(&left);
 *
 * A transaction that changes very many rows leaves some pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_LEFT_CONTENTS_H
#define SIMHASH_STORE_LEFT_CONTENTS_H

#include <stddef.h>

#include "store/row/hash_range.h"

struct store;

struct left_contents {
	struct left_content *contents;
	size_t count, capacity;
};

/* Note the contents of all rows in a range of path hashes. */
int left_contents_note(struct left_contents *left, struct store *store,
		       const struct row_scope *scope, const struct hash_range *range,
		       struct simhash_error *error);

/* Note the present contents of rows that will be written. */
int left_contents_note_rows(struct left_contents *left, struct store *store,
			    const struct row_scope *scope, const struct file_row *const *rows,
			    size_t count, struct simhash_error *error);

/* Remove the pieces of the noted contents that no row has now. */
int left_contents_remove(struct left_contents *left, struct store *store,
			 const struct row_scope *scope, struct simhash_error *error);

void left_contents_release(struct left_contents *left);

#endif
