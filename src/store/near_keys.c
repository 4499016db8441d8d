/*
 * Keys of rows by the index of cells.
 * SPDX-License-Identifier: MIT
 */
#include "store/near_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/open_file.h"
#include "store/query.h"

void row_keys_release(struct row_keys *keys)
{
	free(keys->keys);
	*keys = (struct row_keys){.keys = NULL};
}

static int compare_keys(const void *x, const void *y)
{
	const struct row_key *a = x, *b = y;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return memcmp(a->path_hash, b->path_hash, PATH_HASH_SIZE);
}

void row_keys_sort(struct row_keys *keys)
{
	if (keys->count > 1)
		qsort(keys->keys, keys->count, sizeof *keys->keys, compare_keys);
}

int64_t store_cells_in(const struct cell_range *range)
{
	return (range->last[0] - range->first[0] + 1) * (range->last[1] - range->first[1] + 1);
}

/* The cells are in the text, as their number varies. */
static char *near_keys_sql(const struct cell_range *range)
{
	const char *comma = "";
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT host, path_hash, outline_00, outline_08 FROM file "
		     "WHERE tag_set = ? AND cell IN (");
	for (int64_t i = range->first[0]; i <= range->last[0]; i++)
		for (int64_t j = range->first[1]; j <= range->last[1]; j++, comma = ", ")
			fprintf(sql, "%s%lld", comma, (long long)cell_at(range, i, j));
	fprintf(sql, ") AND uniform BETWEEN ? AND ? AND signed_1 BETWEEN ? AND ? "
		     "AND signed_2 BETWEEN ? AND ? AND size BETWEEN ? AND ? "
		     "AND skew_ext BETWEEN ? AND ?");
	return close_text(sql, &text) == 0 ? text : NULL;
}

static int add_key(struct row_keys *keys, struct query *query, struct simhash_error *error)
{
	struct row_key *key;

	if (array_reserve(&keys->keys, &keys->capacity, keys->count + 1, sizeof *keys->keys,
			  error) != 0)
		return -1;
	key = &keys->keys[keys->count++];
	key->host = query_integer(query, 0);
	return query_fixed_bytes(query, 1, key->path_hash, PATH_HASH_SIZE, error);
}

int store_keys_near(struct store *store, const struct near_bounds *bounds,
		    const struct cell_range *range, struct row_keys *keys,
		    struct simhash_error *error)
{
	const int64_t values[] = {
		bounds->tag_set, bounds->uniform[0],  bounds->uniform[1],  range->low[0],
		range->high[0],	 range->low[1],	      range->high[1],	   bounds->size[0],
		bounds->size[1], bounds->skew_ext[0], bounds->skew_ext[1],
	};
	char *sql = near_keys_sql(range);
	struct query query;
	int status;

	if (sql == NULL)
		return error_set_memory(error);
	status = query_begin(&query, store, sql, error);
	free(sql);
	if (status != 0)
		return -1;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		query_bind_integer(&query, values[i]);
	while ((status = query_next(&query, error)) == 1) {
		const int64_t outline[OUTLINES] = {query_integer(&query, 2),
						   query_integer(&query, 3)};
		if (outline_is_near(&range->near, outline) && add_key(keys, &query, error) != 0) {
			status = -1;
			break;
		}
	}
	query_end(&query);
	return status;
}
