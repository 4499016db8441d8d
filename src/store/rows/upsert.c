/*
 * Writes the SQL of an upsert, which differs between the engines, and determines the number of
 * rows.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/upsert.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"

/* Write "ON CONFLICT(key) DO UPDATE SET a=excluded.a, ...", or the equivalent of MySQL. */
static void write_tail(FILE *sql, const struct upsert *upsert, bool has_excluded)
{
	if (has_excluded)
		fprintf(sql, " ON CONFLICT(%s) DO UPDATE SET ", upsert->key);
	else
		fprintf(sql, " ON DUPLICATE KEY UPDATE ");
	for (size_t i = 0; i < upsert->column_count; i++)
		fprintf(sql, has_excluded ? "%s%s=excluded.%s" : "%s%s=VALUES(%s)",
			i == 0 ? "" : ", ", upsert->columns[i], upsert->columns[i]);
}

static char *upsert_sql(const struct upsert *upsert, unsigned rows, bool has_excluded)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "INSERT INTO %s(%s", upsert->table, upsert->key);
	for (size_t i = 0; i < upsert->column_count; i++)
		fprintf(sql, ", %s", upsert->columns[i]);
	fprintf(sql, ") VALUES ");
	for (unsigned row = 0; row < rows; row++) {
		fprintf(sql, row == 0 ? "(?" : ", (?");
		for (size_t i = 1; i < upsert->key_count + upsert->column_count; i++)
			fprintf(sql, ", ?");
		fprintf(sql, ")");
	}
	write_tail(sql, upsert, has_excluded);
	return close_text(sql, &text) == 0 ? text : NULL;
}

/* Prepare the statement for `rows` rows in its text, or in an array of values. */
static int keep_upsert(struct store *store, enum kept_statement which, const struct upsert *upsert,
		       unsigned rows, bool is_array, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct query query;
	char *sql;
	int status;

	if (store->kept[which] != NULL)
		return 0;
	sql = upsert_sql(upsert, is_array ? 1 : rows, driver->has_excluded);
	if (sql == NULL)
		return error_set_memory(error);
	status = query_begin_kept(&query, store, which, sql, error);
	free(sql);
	if (status != 0 || !is_array || driver->set_rows(query.statement, rows, error) == 0)
		return status;
	/* Otherwise the next caller would assume that it takes arrays. */
	driver->finalize(store->kept[which]);
	store->kept[which] = NULL;
	return -1;
}

size_t upsert_rows_max(const struct store *store)
{
	return store->array_rows > 0 ? store->array_rows : store->driver->rows_per_insert;
}

int upsert_begin(struct query *query, struct store *store, const struct upsert *upsert,
		 size_t *rows, struct simhash_error *error)
{
	bool is_array = store->array_rows > 0;
	size_t max = upsert_rows_max(store);
	/* An array takes any number of rows; a text takes only its own number. */
	bool is_many = *rows == max || (is_array && *rows > 1);
	enum kept_statement which = is_many ? upsert->many : upsert->one;

	if (keep_upsert(store, which, upsert, is_many ? (unsigned)max : 1, is_many && is_array,
			error) != 0)
		return -1;
	if (!is_many)
		*rows = 1;
	return query_begin_kept(query, store, which, NULL, error);
}
