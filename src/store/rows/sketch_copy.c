/*
 * Reads and writes rows of the table `sketch` for a copy.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/sketch_copy.h"

#include <string.h>

#include "store/open/query.h"
#include "store/open/transaction.h"
#include "store/rows/sketch_rows.h"

int stored_sketches_begin(struct stored_sketches *sketches, struct store *store,
			  const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
			  struct simhash_error *error)
{
	struct query query;

	*sketches = (struct stored_sketches){.store = store};
	if (!hash_range_after(after, last, &sketches->rest)) {
		sketches->is_over = true;
		return 0;
	}
	if (query_begin(&query, store,
			"SELECT path_hash, measure, content_hash, features, cluster, value "
			"FROM sketch WHERE tag_set = ? AND host = ? "
			"AND path_hash BETWEEN ? AND ? ORDER BY path_hash, measure",
			error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_range(&query, &sketches->rest);
	sketches->statement = query.statement;
	return 0;
}

int stored_sketches_next(struct stored_sketches *sketches, struct stored_sketch *sketch,
			 struct simhash_error *error)
{
	struct query query = query_of(sketches->store, sketches->statement);
	int status = sketches->is_over ? 0 : query_next(&query, error);

	if (status != 1)
		return status;
	sketch->measure = query_integer(&query, 1);
	sketch->features = query_integer(&query, 3);
	sketch->cluster = query_integer(&query, 4);
	sketch->value = query_bytes(&query, 5);
	if (query_fixed_bytes(&query, 0, sketch->path_hash, PATH_HASH_SIZE, error) != 0 ||
	    query_fixed_bytes(&query, 2, sketch->content_hash, CONTENT_HASH_SIZE, error) != 0 ||
	    hash_range_check(sketches->rest.low, sketch->path_hash, error) != 0)
		return -1;
	memcpy(sketches->rest.low, sketch->path_hash, PATH_HASH_SIZE);
	return 1;
}

void stored_sketches_end(struct stored_sketches *sketches)
{
	struct query query = query_of(sketches->store, sketches->statement);

	query_end(&query);
	sketches->statement = NULL;
}

int store_write_sketches(struct store *store, const struct row_scope *scope,
			 const struct stored_sketch *sketches, size_t count,
			 struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = sketch_rows_insert(store, scope, sketches, count, error);
	return status;
}
