/*
 * Stores a part of an index or of a list that is processed as a whole: some rows in the order of
 * path hashes, with copies of their texts.
 *
 *     part = row_part_new();
 *     while (part->count < PART_ROWS && (status = next_row(&row, error)) == 1)
 *             status = row_part_add(part, &row, error);
 *     ...
 *     row_part_clear(part);                  // for the next rows
 *     row_part_free(part);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_ROW_PART_H
#define SIMHASH_INDEX_ROW_PART_H

#include "base/data/arena.h"
#include "store/rows/row_reader.h"
#include "store/write/batch.h"

#define PART_ROWS 4096

struct row_part {
	struct file_row rows[PART_ROWS];
	size_t count;
	struct arena texts;
	/* Room for a selection of these rows. */
	const struct file_row *chosen[PART_ROWS];
	struct directory_row directories[PART_ROWS];
};

struct row_part *row_part_new(void);	   /* NULL if memory is short */
void row_part_free(struct row_part *part); /* NULL is allowed */

/* Append a copy of a row. The part holds a reference to the sketches of the row. */
int row_part_add(struct row_part *part, const struct file_row *row, struct simhash_error *error);

/*
 * Replace the rows of the part by rows of a scope after a path hash (NULL: from the first), as many
 * as fit.
 */
int row_part_read(struct row_part *part, struct store *store, const struct row_scope *scope,
		  const uint8_t *after, struct simhash_error *error);

void row_part_clear(struct row_part *part);

#endif
