/*
 * A statement with its parameters and its rows.
 * SPDX-License-Identifier: MIT
 */
#include "store/query.h"

#include <string.h>

#include "base/error.h"

int query_begin(struct query *query, struct store *store, const char *sql,
		struct simhash_error *error)
{
	*query = (struct query){.driver = store->driver};
	return store->driver->prepare(store->database, sql, &query->statement, error);
}

int query_begin_kept(struct query *query, struct store *store, enum kept_statement which,
		     const char *sql, struct simhash_error *error)
{
	if (store_keep(store, which, sql, error) != 0)
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
