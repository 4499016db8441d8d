/*
 * Rows by their path hashes: one statement for any number of them, its last parameters repeated.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/picked_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/rows/row_columns.h"

static char *picked_rows_sql(void)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT ");
	row_columns_select(sql, ROW_WHOLE);
	fprintf(sql, " FROM file f WHERE tag_set = ? AND host = ? AND path_hash IN (?");
	for (size_t i = 1; i < PICKED_ROWS_MAX; i++)
		fprintf(sql, ", ?");
	fprintf(sql, ")");
	return close_text(sql, &text) == 0 ? text : NULL;
}

static struct query query_of_rows(const struct picked_rows *rows)
{
	return (struct query){rows->store->driver, rows->store->kept[KEPT_PICKED_ROWS], 0, true};
}

int picked_rows_begin(struct picked_rows *rows, struct store *store, const struct row_scope *scope,
		      const uint8_t (*hashes)[PATH_HASH_SIZE], size_t count,
		      struct simhash_error *error)
{
	struct query query;
	char *sql = NULL;
	int status;

	*rows = (struct picked_rows){.store = store, .row = {.host = scope->host}};
	if (store->kept[KEPT_PICKED_ROWS] == NULL && (sql = picked_rows_sql()) == NULL)
		return error_set_memory(error);
	status = query_begin_kept(&query, store, KEPT_PICKED_ROWS, sql, error);
	free(sql);
	if (status != 0)
		return -1;
	query_bind_scope(&query, scope);
	for (size_t i = 0; i < PICKED_ROWS_MAX; i++)
		query_bind_data(&query, hashes[i < count ? i : count - 1], PATH_HASH_SIZE);
	rows->is_running = true;
	return 0;
}

int picked_rows_next(struct picked_rows *rows, const struct file_row **row,
		     struct simhash_error *error)
{
	struct query query = query_of_rows(rows);
	int status = query_next(&query, error);

	if (status != 1)
		return status;
	*row = &rows->row;
	return row_columns_take(&query, ROW_WHOLE, &rows->row, error) == 0 ? 1 : -1;
}

void picked_rows_end(struct picked_rows *rows)
{
	struct query query;

	if (!rows->is_running)
		return;
	query = query_of_rows(rows);
	query_end(&query);
	rows->is_running = false;
}
