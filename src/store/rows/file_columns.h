/*
 * The columns of the table `file` after its key, in the order of statements that write and read
 * whole rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_COLUMNS_H
#define SIMHASH_STORE_FILE_COLUMNS_H

#include <stdio.h>

#include "store/open/query.h"

#define FILE_COLUMNS (12 + SIMHASH_TAGS + SIMHASH_KEYS + 7)
extern const char *const file_columns[FILE_COLUMNS];

/* Bind the key of a row, then all columns. */
void file_columns_bind(struct query *query, const struct row_scope *scope,
		       const struct file_row *row);

/* "SELECT path_hash, ... FROM file", as file_columns_take wants them. */
void file_columns_select(FILE *sql);

/* Take a row whose path hash is the first column of the query and whose columns follow it. */
int file_columns_take(struct query *query, struct file_row *row, struct simhash_error *error);

/* Take `resemblance_sketch` from a column, of a row whose directory and name are known. */
int resemblance_take(struct query *query, unsigned column, struct file_row *row,
		     struct simhash_error *error);

#endif
