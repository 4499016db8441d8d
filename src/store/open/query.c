/*
 * Begins, runs and ends the query of a statement.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

int query_begin(struct query *query, struct store *store, const char *sql,
		struct simhash_error *error)
{
	*query = (struct query){.driver = store->driver};
	return store->driver->prepare(store->database, sql, &query->statement, error);
}

int query_begin_format(struct query *query, struct store *store, struct simhash_error *error,
		       const char *format, ...)
{
	va_list arguments;
	char *sql;
	int size, status;

	va_start(arguments, format);
	size = vasprintf(&sql, format, arguments);
	va_end(arguments);
	if (size < 0)
		return error_set_memory(error);
	status = query_begin(query, store, sql, error);
	free(sql);
	return status;
}

int query_begin_kept(struct query *query, struct store *store, enum kept_statement which,
		     const char *sql, struct simhash_error *error)
{
	if (store->kept[which] == NULL &&
	    store->driver->prepare(store->database, sql, &store->kept[which], error) != 0)
		return -1;
	*query = (struct query){store->driver, store->kept[which], 0, true};
	return 0;
}

void query_end(struct query *query)
{
	if (query->statement == NULL)
		return;
	if (query->is_kept)
		query->driver->reset(query->statement);
	else
		query->driver->finalize(query->statement);
	query->statement = NULL;
}

int query_run(struct query *query, struct simhash_error *error)
{
	int status = query_next(query, error);

	query_end(query);
	return status < 0 ? -1 : 0;
}

int query_first(struct query *query, int64_t *value, struct simhash_error *error)
{
	int status = query_next(query, error);

	if (status == 1)
		*value = query_integer(query, 0);
	query_end(query);
	return status;
}

static int begin_with(struct query *query, struct store *store, const char *sql,
		      const int64_t *values, unsigned count, struct simhash_error *error)
{
	if (query_begin(query, store, sql, error) != 0)
		return -1;
	for (unsigned i = 0; i < count; i++)
		query_bind_integer(query, values[i]);
	return 0;
}

int query_each(struct query *query, query_row_fn *each, void *context, struct simhash_error *error)
{
	int status;

	while ((status = query_next(query, error)) == 1)
		if (each(context, query, error) != 0) {
			status = -1;
			break;
		}
	query_end(query);
	return status;
}

int store_run(struct store *store, const char *sql, const int64_t *values, unsigned count,
	      struct simhash_error *error)
{
	struct query query;

	if (begin_with(&query, store, sql, values, count, error) != 0)
		return -1;
	return query_run(&query, error);
}

int store_read_integer(struct store *store, const char *sql, const int64_t *values, unsigned count,
		       int64_t *result, struct simhash_error *error)
{
	struct query query;

	*result = 0;
	if (begin_with(&query, store, sql, values, count, error) != 0)
		return -1;
	return query_first(&query, result, error) < 0 ? -1 : 0;
}

int query_fixed_bytes(struct query *query, unsigned column, uint8_t *out, size_t size,
		      struct simhash_error *error)
{
	struct bytes value = query_bytes(query, column);

	if (value.size != size)
		return error_set(error, SIMHASH_E_DATABASE,
				 "table file: a hash of %zu bytes where %zu are expected",
				 value.size, size);
	memcpy(out, value.data, size);
	return 0;
}
