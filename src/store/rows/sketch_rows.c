/*
 * Writes and removes rows of the table `sketch`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/sketch_rows.h"

#include <string.h>

#include "store/rows/upsert.h"

static const char *const columns[] = {"content_hash", "features", "cluster", "value"};
static const struct upsert sketch_upsert = {
	.table = "sketch",
	.key = "tag_set, host, path_hash, measure",
	.key_count = 4,
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.one = KEPT_UPSERT_SKETCH_ONE,
	.many = KEPT_UPSERT_SKETCH_MANY,
};

/*
 * The maximum bytes of a sketch in a statement besides its value, in the protocols of the engines.
 */
#define SKETCH_BYTES (8 * 12 + PATH_HASH_SIZE + CONTENT_HASH_SIZE)

static size_t sketches_that_fit(const struct store *store, const struct stored_sketch *sketches,
				size_t max)
{
	int64_t room = store->max_statement_bytes;
	size_t count = 0;

	while (count < max && room > SKETCH_BYTES + (int64_t)sketches[count].value.size)
		room -= SKETCH_BYTES + (int64_t)sketches[count++].value.size;
	return count;
}

static void bind_sketch(struct query *query, const struct row_scope *scope,
			const struct stored_sketch *sketch)
{
	query_bind_scope(query, scope);
	query_bind_data(query, sketch->path_hash, PATH_HASH_SIZE);
	query_bind_integer(query, sketch->measure);
	query_bind_data(query, sketch->content_hash, CONTENT_HASH_SIZE);
	query_bind_integer(query, sketch->features);
	query_bind_integer(query, sketch->cluster);
	query_bind_bytes(query, sketch->value);
}

int sketch_rows_insert(struct store *store, const struct row_scope *scope,
		       const struct stored_sketch *sketches, size_t count,
		       struct simhash_error *error)
{
	size_t max = upsert_rows_max(store), done = 0;

	while (done < count) {
		size_t rest = count - done;
		size_t fitting = sketches_that_fit(store, sketches + done, rest < max ? rest : max);
		struct query query;
		if (upsert_begin(&query, store, &sketch_upsert, &fitting, error) != 0)
			return -1;
		for (size_t i = 0; i < fitting; i++)
			bind_sketch(&query, scope, &sketches[done++]);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

/* The number of sketches in one write. */
#define AT_ONCE 256

int sketch_rows_write(struct store *store, const struct row_scope *scope,
		      const struct file_row *const *rows, size_t count, struct simhash_error *error)
{
	struct stored_sketch some[AT_ONCE];
	size_t filled = 0;

	if (store->measure_count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct row_sketches *sketches = rows[i]->sketches;
		for (unsigned k = 0; sketches != NULL && k < sketches->count; k++) {
			struct stored_sketch *sketch = &some[filled];
			if (sketches->sketch[k].value.size == 0)
				continue;
			memcpy(sketch->path_hash, rows[i]->path_hash, PATH_HASH_SIZE);
			memcpy(sketch->content_hash, rows[i]->content_hash, CONTENT_HASH_SIZE);
			sketch->measure = store->measures[k];
			sketch->features = sketches->sketch[k].features;
			sketch->cluster = sketches->sketch[k].cluster;
			sketch->value = sketches->sketch[k].value;
			if (++filled < AT_ONCE)
				continue;
			if (sketch_rows_insert(store, scope, some, filled, error) != 0)
				return -1;
			filled = 0;
		}
	}
	return sketch_rows_insert(store, scope, some, filled, error);
}

int sketch_rows_remove(struct store *store, const struct row_scope *scope,
		       const struct hash_range *range, struct simhash_error *error)
{
	struct query query;

	if (query_begin_kept(&query, store, KEPT_REMOVE_SKETCHES,
			     "DELETE FROM sketch WHERE tag_set = ? AND host = ? "
			     "AND path_hash BETWEEN ? AND ?",
			     error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_range(&query, range);
	return query_run(&query, error);
}
