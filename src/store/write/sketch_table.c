/*
 * Counts, lists and removes the sketches of a measure.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/sketch_table.h"

#include <string.h>

#include "store/open/transaction.h"
#include "store/rows/row_reader.h"
#include "store/rows/sketch_rows.h"

int store_count_sketches(struct store *store, int64_t tag_set, int64_t measure, int64_t *files,
			 struct simhash_error *error)
{
	const int64_t values[] = {measure, tag_set};

	return store_read_integer(store,
				  tag_set == 0 ? "SELECT count(*) " FROM_SKETCHED_FILES
						 "WHERE s.measure = ?"
					       : "SELECT count(*) " FROM_SKETCHED_FILES
						 "WHERE s.measure = ? AND s.tag_set = ?",
				  values, tag_set == 0 ? 1 : 2, files, error);
}

int store_rows_unsketched(struct row_cursor *cursor, struct store *store, unsigned columns,
			  int64_t tag_set, int64_t measure, struct simhash_error *error)
{
	if (rows_begin(cursor, store, columns, NOT_KEPT, error,
		       " FROM file f WHERE f.tag_set = ? AND "
		       "NOT EXISTS (SELECT 1 FROM sketch s WHERE s.tag_set = f.tag_set AND "
		       "s.host = f.host AND s.path_hash = f.path_hash AND s.measure = ? AND "
		       "s.content_hash = f.content_hash) ORDER BY f.host, f.path_hash") != 0)
		return -1;
	query_bind_integer(&cursor->query, tag_set);
	query_bind_integer(&cursor->query, measure);
	return 0;
}

int store_find_hashes(struct store *store, int64_t tag_set, int64_t measure, struct query *query,
		      struct simhash_error *error)
{
	if (query_begin(query, store,
			"SELECT s.value, s.content_hash " FROM_SKETCHED_FILES
			"WHERE s.tag_set = ? AND s.measure = ?",
			error) != 0)
		return -1;
	query_bind_integer(query, tag_set);
	query_bind_integer(query, measure);
	return 0;
}

int store_next_hash(struct query *query, size_t size, uint8_t *hash, uint8_t *content_hash,
		    struct simhash_error *error)
{
	int status = query_next(query, error);

	if (status != 1)
		return status;
	return query_fixed_bytes(query, 0, hash, size, error) == 0 &&
			       query_fixed_bytes(query, 1, content_hash, CONTENT_HASH_SIZE,
						 error) == 0
		       ? 1
		       : -1;
}

#define CLUSTERS_AT_ONCE 1000

/*
 * In a transaction: remove the sketches of some clusters, because the index finds sketches by
 * cluster. With the last sketches, also remove the measure.
 */
static int remove_some(struct store *store, int64_t measure, int64_t *removed, bool *is_last,
		       struct simhash_error *error)
{
	/* the second value is the highest cluster to remove */
	int64_t values[] = {measure, INT64_MAX};
	struct query query;
	int status;

	if (query_begin(&query, store,
			"SELECT cluster FROM sketch WHERE measure = ? ORDER BY cluster LIMIT 1 "
			"OFFSET ?",
			error) != 0)
		return -1;
	query_bind_integer(&query, measure);
	query_bind_integer(&query, CLUSTERS_AT_ONCE);
	status = query_first(&query, &values[1], error);
	*is_last = status == 0;
	if (status < 0 ||
	    store_read_integer(store,
			       "SELECT count(*) FROM sketch WHERE measure = ? AND cluster <= ?",
			       values, 2, removed, error) != 0 ||
	    store_run(store, "DELETE FROM sketch WHERE measure = ? AND cluster <= ?", values, 2,
		      error) != 0)
		return -1;
	return *is_last ? store_run(store, "DELETE FROM measure WHERE id = ?", values, 1, error)
			: 0;
}

int store_remove_measure(struct store *store, int64_t measure, int64_t *removed,
			 struct simhash_error *error)
{
	bool is_last = false;

	*removed = 0;
	while (!is_last) {
		struct transaction transaction = {.store = store};
		int64_t count = 0;
		int status = 0;
		while (transaction_next(&transaction, &status, error))
			status = remove_some(store, measure, &count, &is_last, error);
		if (status != 0)
			return -1;
		*removed += count;
	}
	return 0;
}
