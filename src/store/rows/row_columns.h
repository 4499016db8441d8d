/*
 * Defines the columns of the table `file`: one table of names and members, for reading and writing
 * rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ROW_COLUMNS_H
#define SIMHASH_STORE_ROW_COLUMNS_H

#include <stdio.h>

#include "store/open/query.h"

/* The columns of a row, which are members of struct file_row. A set of columns is a sum. */
enum {
	ROW_HOST = 1 << 0,
	ROW_PATH_HASH = 1 << 1,
	ROW_DIRECTORY = 1 << 2,
	ROW_NAME = 1 << 3,
	ROW_EXTENSION = 1 << 4,
	ROW_SIZE = 1 << 5,
	ROW_MTIME = 1 << 6,
	ROW_DEVICE = 1 << 7,
	ROW_INODE = 1 << 8,
	ROW_LINKS = 1 << 9,
	ROW_COMPRESSED_SIZE = 1 << 10,
	ROW_CONTENTS = 1 << 11,
	ROW_CONTENT_HASH = 1 << 12,
	ROW_SCANNED_AT = 1 << 13,
	ROW_TABLE = 1 << 14,
	ROW_UNIFORM = 1 << 15, /* the first of the keys */
	ROW_KEYS = ((1 << SIMHASH_KEYS) - 1) * ROW_UNIFORM,
	ROW_RESEMBLANCE = 1 << (15 + SIMHASH_KEYS),
	ROW_PIECES = ROW_RESEMBLANCE << 1,
	ROW_DOCUMENT_TIME = ROW_PIECES << 1,
	ROW_VERIFIED_AT = ROW_DOCUMENT_TIME << 1,
	ROW_STATUS_TIME = ROW_VERIFIED_AT << 1,
	ROW_DOCUMENT_CREATED = ROW_STATUS_TIME << 1,
	ROW_DOCUMENT_REVISION = ROW_DOCUMENT_CREATED << 1,
	ROW_COLUMNS_END = ROW_DOCUMENT_REVISION << 1,
	ROW_CHECKED = ROW_COLUMNS_END, /* not a column: impossible numbers in a row are errors */
	ROW_DOCUMENT_DATES = ROW_DOCUMENT_TIME | ROW_DOCUMENT_CREATED | ROW_DOCUMENT_REVISION,
	ROW_WHOLE = ROW_COLUMNS_END - 1 - ROW_HOST /* a reader of whole rows knows the host */
};
#define ROW_KEY(key) ((unsigned)ROW_UNIFORM << (key))

/* The names of all columns except tag_set. The first ones belong to the primary key. */
#define KEY_COLUMNS 2
#define FILE_COLUMNS (12 + SIMHASH_TAGS + SIMHASH_KEYS + 13)
extern const char *const row_columns[KEY_COLUMNS + FILE_COLUMNS];

/* Bind tag_set and all columns. */
void row_columns_bind(struct query *query, const struct row_scope *scope,
		      const struct file_row *row);

/* Write the names of a set of columns of `file f`. */
void row_columns_select(FILE *sql, unsigned columns);

/* Return the number of statement columns for a set. */
unsigned row_columns_count(unsigned columns);

/*
 * Copy these columns, the first ones of the query, to the members of a row. Other members do not
 * change.
 */
int row_columns_take(struct query *query, unsigned columns, struct file_row *row,
		     struct simhash_error *error);

#endif
