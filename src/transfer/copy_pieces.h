/*
 * Copies the pieces of the contents of rows to another index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_COPY_PIECES_H
#define SIMHASH_INDEX_COPY_PIECES_H

#include <stddef.h>

#include "store/row/file_row.h"

struct store;

/*
 * Copy the pieces of some rows from a tag set of the source to a tag set of the target. Call it
 * before the rows are written, so that no written row lacks its pieces after an interruption.
 */
int copy_pieces(struct store *from, int64_t from_tag_set, struct store *to, int64_t to_tag_set,
		const struct file_row *const *rows, size_t count, struct simhash_error *error);

#endif
