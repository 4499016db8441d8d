/*
 * Begins and ends a first load: runs the engine's scripts before and after it.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/load.h"

#include "store/open/query.h"
#include "store/open/schema.h"
#include "store/open/transaction.h"

/* The caller has begun a transaction. */
static int before_load(struct store *store, struct simhash_error *error)
{
	struct query query;
	int64_t one;
	int status;

	if (query_begin(&query, store, "SELECT 1 FROM file LIMIT 1", error) != 0)
		return -1;
	status = query_first(&query, &one, error);
	store->is_first_load = status == 0;
	if (status != 0)
		return status < 0 ? -1 : 0;
	return schema_before_load(store, error);
}

int store_begin_load(struct store *store, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = before_load(store, error);
	return status;
}

bool store_is_first_load(const struct store *store)
{
	return store->is_first_load;
}

int store_end_load(struct store *store, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	if (!store->is_first_load)
		return 0;
	while (transaction_next(&transaction, &status, error))
		status = schema_after_load(store, error);
	return status;
}
