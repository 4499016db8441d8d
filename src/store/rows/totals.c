/*
 * Counts rows, files and bytes of an index with SQL.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/totals.h"

#include <stdlib.h>

#include "base/data/array.h"
#include "store/open/query.h"

static int append_total(struct scope_total **totals, size_t *count, size_t *capacity,
			struct query *query, struct simhash_error *error)
{
	if (array_reserve(totals, capacity, *count + 1, sizeof **totals, error) != 0)
		return -1;
	(*totals)[(*count)++] = (struct scope_total){
		.scope = {query_integer(query, 0), query_integer(query, 1)},
		.rows = query_integer(query, 2),
		.bytes = query_integer(query, 3),
		.resemblances = query_integer(query, 4),
		.oldest_ns = query_integer(query, 5),
	};
	return 0;
}

int store_read_totals(struct store *store, struct scope_total **totals, size_t *count,
		      struct simhash_error *error)
{
	struct query query;
	size_t capacity = 0;
	int status;

	*totals = NULL;
	*count = 0;
	if (query_begin(&query, store,
			"SELECT tag_set, host, count(*), CAST(sum(size) AS SIGNED), "
			"count(resemblance_sketch), min(CASE WHEN compressed_size > 0 THEN NULL "
			"WHEN verified_at_ns > scanned_at_ns THEN verified_at_ns "
			"ELSE scanned_at_ns END) FROM file "
			"WHERE contents <> 268435456 " /* CONTENTS_IS_TEXT */
			"GROUP BY tag_set, host ORDER BY tag_set, host",
			error) != 0)
		return -1;
	while ((status = query_next(&query, error)) == 1)
		if (append_total(totals, count, &capacity, &query, error) != 0) {
			status = -1;
			break;
		}
	query_end(&query);
	if (status != 0) {
		free(*totals);
		*totals = NULL;
	}
	return status;
}

int store_count_rows(struct store *store, int64_t tag_set, int64_t *rows,
		     struct simhash_error *error)
{
	return store_read_integer(store, "SELECT count(*) FROM file WHERE tag_set = ?", &tag_set, 1,
				  rows, error);
}

int store_count_not_empty(struct store *store, int64_t tag_set, int64_t *rows,
			  struct simhash_error *error)
{
	return store_read_integer(store, "SELECT count(*) FROM file WHERE tag_set = ? AND size > 0",
				  &tag_set, 1, rows, error);
}

int store_count_without_resemblance(struct store *store, int64_t tag_set, int64_t *rows,
				    struct simhash_error *error)
{
	return store_read_integer(store,
				  "SELECT count(*) FROM file WHERE tag_set = ? AND size > 0 "
				  "AND resemblance_sketch IS NULL",
				  &tag_set, 1, rows, error);
}

int store_index_bytes(struct store *store, int64_t *bytes, struct simhash_error *error)
{
	return store_read_integer(store, store->driver->index_bytes, NULL, 0, bytes, error);
}
