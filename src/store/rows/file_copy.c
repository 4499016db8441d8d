/*
 * Whole rows of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/file_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/rows/row_columns.h"

static char *whole_rows_sql(void)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT ");
	row_columns_select(sql, ROW_WHOLE);
	fprintf(sql, " FROM file f WHERE tag_set = ? AND host = ? AND path_hash BETWEEN ? AND ? "
		     "ORDER BY path_hash LIMIT ?");
	return close_text(sql, &text) == 0 ? text : NULL;
}

int whole_rows_begin(struct whole_rows *rows, struct store *store, const struct row_scope *scope,
		     const uint8_t *after, const uint8_t *last, int64_t limit,
		     struct simhash_error *error)
{
	struct query query;
	char *sql;
	int status;

	*rows = (struct whole_rows){.store = store, .row = {.host = scope->host}};
	if (!hash_range_after(after, last, &rows->rest)) {
		rows->is_over = true;
		return 0;
	}
	sql = whole_rows_sql();
	if (sql == NULL)
		return error_set_memory(error);
	status = query_begin(&query, store, sql, error);
	free(sql);
	if (status != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_range(&query, &rows->rest);
	query_bind_integer(&query, limit);
	rows->statement = query.statement;
	return 0;
}

int whole_rows_next(struct whole_rows *rows, const struct file_row **row,
		    struct simhash_error *error)
{
	struct query query = query_of(rows->store, rows->statement);
	int status = rows->is_over ? 0 : query_next(&query, error);

	if (status != 1)
		return status;
	if (row_columns_take(&query, ROW_WHOLE, &rows->row, error) != 0 ||
	    hash_range_check(rows->rest.low, rows->row.path_hash, error) != 0)
		return -1;
	memcpy(rows->rest.low, rows->row.path_hash, PATH_HASH_SIZE);
	*row = &rows->row;
	return 1;
}

void whole_rows_end(struct whole_rows *rows)
{
	struct query query = query_of(rows->store, rows->statement);

	query_end(&query);
	rows->statement = NULL;
}
