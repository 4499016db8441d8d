/*
 * Reads rows of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/row_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/rows/sketch_rows.h"

/* ---- The cursor ---- */

__attribute__((format(printf, 2, 0))) static char *rows_sql(unsigned columns, const char *format,
							    va_list arguments)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT ");
	row_columns_select(sql, columns);
	vfprintf(sql, format, arguments);
	return close_text(sql, &text) == 0 ? text : NULL;
}

int rows_begin(struct row_cursor *cursor, struct store *store, unsigned columns,
	       enum kept_statement which, struct simhash_error *error, const char *format, ...)
{
	struct query *query = &cursor->query;
	va_list arguments;
	char *sql;
	int status;

	*cursor = (struct row_cursor){.columns = columns, .more = row_columns_count(columns)};
	if (which != NOT_KEPT && store->kept[which] != NULL)
		return query_begin_kept(query, store, which, NULL, error);
	va_start(arguments, format);
	sql = rows_sql(columns, format, arguments);
	va_end(arguments);
	if (sql == NULL)
		return error_set_memory(error);
	status = which == NOT_KEPT ? query_begin(query, store, sql, error)
				   : query_begin_kept(query, store, which, sql, error);
	free(sql);
	if (status != 0)
		query->statement = NULL;
	return status;
}

static int check_numbers(const struct file_row *row, struct simhash_error *error)
{
	bool are_possible = row->size_bytes >= 0 && row->compressed_size_bytes >= 0;

	for (int k = 0; k < SIMHASH_KEYS; k++)
		are_possible &= row->keys.key[k] >= 0;
	for (int t = 0; t < SIMHASH_TAGS; t++)
		are_possible &= row->table.count[t] <= (uint64_t)row->size_bytes;
	if (are_possible)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table file: the row of %.*s/%.*s holds numbers that no file has; "
			 "scan it again with simhash --force",
			 (int)row->directory.size, row->directory.data, (int)row->name.size,
			 row->name.data);
}

static int check_order(struct row_cursor *cursor, const struct file_row *row,
		       struct simhash_error *error)
{
	if (hash_range_check(cursor->rest.low, row->path_hash, error) != 0)
		return -1;
	memcpy(cursor->rest.low, row->path_hash, PATH_HASH_SIZE);
	return 0;
}

int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error)
{
	int status = cursor->query.statement == NULL ? 0 : query_next(&cursor->query, error);

	if (status != 1)
		return status;
	if (row_columns_take(&cursor->query, cursor->columns, row, error) != 0 ||
	    ((cursor->columns & ROW_CHECKED) != 0 && check_numbers(row, error) != 0) ||
	    (cursor->is_ordered && check_order(cursor, row, error) != 0))
		return -1;
	return 1;
}

void store_rows_end(struct row_cursor *cursor)
{
	query_end(&cursor->query);
}

/* ---- Rows by a key, or in table order ---- */

/* Joins entries of the index of uniform with their rows. */
#define FROM_NEAR_INDEX                                                                \
	" FROM file i CROSS JOIN file f ON f.tag_set = i.tag_set AND f.host = i.host " \
	"AND f.path_hash = i.path_hash "

static void bind_integers(struct query *query, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		query_bind_integer(query, values[i]);
}

static int64_t size_min(const struct row_filter *filter)
{
	return filter->with_empty ? INT64_MIN : 1;
}

int store_rows_in_order(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, struct simhash_error *error)
{
	const int64_t values[] = {filter->tag_set, filter->low, filter->high, size_min(filter)};
	const char *key = simhash_key_name(filter->key);
	/*
	 * For both engines +x is not a column, so they do not use its index, whatever statistics
	 * they have. To look up all rows through an index takes ten times as long.
	 */
	const char *plus = filter->order == ORDER_BY_INDEX ? "" : "+";

	if (rows_begin(cursor, store, filter->columns, NOT_KEPT, error,
		       " FROM file f WHERE %sf.tag_set = ? AND %sf.%s BETWEEN ? AND ? "
		       "AND f.size >= ? ORDER BY %sf.%s, f.host, f.path_hash",
		       plus, plus, key, plus, key) != 0)
		return -1;
	bind_integers(&cursor->query, values, sizeof values / sizeof *values);
	return 0;
}

int store_rows_lying(struct row_cursor *cursor, struct store *store,
		     const struct row_filter *filter, const struct row_place *place,
		     struct simhash_error *error)
{
	static const struct row_place all = {.first_host = INT64_MIN, .last_host = INT64_MAX};
	struct query *query = &cursor->query;
	const char *partitions = (place == NULL ? &all : place)->partitions;
	bool is_one_host, has_parts = partitions != NULL;

	place = place == NULL ? &all : place;
	is_one_host = place->first_host == place->last_host;
	/* The + before the size prevents the engines from using another index. */
	if (rows_begin(cursor, store, filter->columns, NOT_KEPT, error,
		       " FROM file%s%s%s f WHERE f.tag_set = ? AND +f.size >= ? AND %s",
		       has_parts ? " PARTITION (" : "", has_parts ? partitions : "",
		       has_parts ? ")" : "",
		       is_one_host ? "f.host = ? AND f.path_hash BETWEEN ? AND ? "
				     "ORDER BY f.path_hash LIMIT ?"
				   : "f.host BETWEEN ? AND ?") != 0)
		return -1;
	query_bind_integer(query, filter->tag_set);
	query_bind_integer(query, size_min(filter));
	query_bind_integer(query, place->first_host);
	if (is_one_host) {
		query_bind_range(query, &place->hashes);
		query_bind_integer(query, place->most);
	} else {
		query_bind_integer(query, place->last_host);
	}
	return 0;
}

int store_rows_reaching(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t target, int64_t up, int64_t down,
			struct simhash_error *error)
{
	const int64_t values[] = {
		filter->tag_set, filter->low, filter->high, size_min(filter), target, down, up};

	/*
	 * A division of integers may be rounded down or exact; with 1 added, both are large enough.
	 */
	if (rows_begin(cursor, store, filter->columns, NOT_KEPT, error,
		       FROM_NEAR_INDEX
		       "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND i.size >= ? "
		       "AND ? - i.uniform <= (i.size / ? + 1) * ? + 2 "
		       "ORDER BY i.uniform, f.host, f.path_hash") != 0)
		return -1;
	bind_integers(&cursor->query, values, sizeof values / sizeof *values);
	return 0;
}

int store_rows_near(struct row_cursor *cursor, struct store *store, const struct row_filter *filter,
		    const int64_t sizes[2], struct simhash_error *error)
{
	const int64_t values[] = {filter->tag_set, filter->low, filter->high, sizes[0], sizes[1]};

	if (rows_begin(cursor, store, filter->columns, NOT_KEPT, error,
		       FROM_NEAR_INDEX "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND "
				       "i.size BETWEEN ? AND ?") != 0)
		return -1;
	bind_integers(&cursor->query, values, sizeof values / sizeof *values);
	return 0;
}

/* ---- Rows by path hash ---- */

int store_rows_with(struct row_cursor *cursor, struct store *store, unsigned columns,
		    const struct row_scope *scope, const uint8_t (*hashes)[PATH_HASH_SIZE],
		    size_t count, struct simhash_error *error)
{
	struct query *query = &cursor->query;

	if (query->statement != NULL && count <= cursor->hash_count) {
		query_again(query);
	} else {
		bool is_whole = columns == ROW_WHOLE;
		size_t hash_count = is_whole ? ROWS_WITH_MAX : count;
		store_rows_end(cursor);
		if (rows_begin(cursor, store, columns, is_whole ? KEPT_PICKED_ROWS : NOT_KEPT,
			       error, ROWS_OF_SCOPE "AND f.path_hash IN (?%.*s)",
			       ROWS_MARKS(hash_count)) != 0)
			return -1;
		cursor->hash_count = hash_count;
	}
	query_bind_scope(query, scope);
	/*
	 * If there are fewer hashes than parameters, bind the last hash again; this does not repeat
	 * rows.
	 */
	for (size_t i = 0; i < cursor->hash_count; i++)
		query_bind_data(query, hashes[i < count ? i : count - 1], PATH_HASH_SIZE);
	return 0;
}

int rows_begin_range(struct row_cursor *cursor, struct store *store, unsigned columns,
		     enum kept_statement which, const struct row_scope *scope,
		     const struct hash_range *range, int64_t most, struct simhash_error *error)
{
	if (rows_begin(cursor, store, columns, which, error, ROWS_OF_RANGE " LIMIT ?") != 0)
		return -1;
	cursor->is_ordered = true;
	cursor->rest = *range;
	query_bind_scope(&cursor->query, scope);
	query_bind_range(&cursor->query, &cursor->rest);
	query_bind_integer(&cursor->query, most);
	return 0;
}

int store_rows_after(struct row_cursor *cursor, struct store *store, unsigned columns,
		     const struct row_scope *scope, const uint8_t *after, const uint8_t *last,
		     int64_t most, struct simhash_error *error)
{
	struct hash_range range;

	*cursor = (struct row_cursor){.columns = 0};
	if (!hash_range_after(after, last, &range))
		return 0;
	return rows_begin_range(cursor, store, columns, NOT_KEPT, scope, &range, most, error);
}

/* ---- Rows with sketches by another measure ---- */

int store_rows_sketched(struct row_cursor *cursor, struct store *store,
			const struct row_filter *filter, int64_t measure,
			struct simhash_error *error)
{
	const int64_t values[] = {filter->tag_set, measure, size_min(filter)};

	if (rows_begin(cursor, store, filter->columns, NOT_KEPT, error,
		       ", s.features, s.cluster, s.value " FROM_SKETCHED_FILES
		       "WHERE s.tag_set = ? AND s.measure = ? AND s.features > 0 "
		       "AND f.size >= ? ORDER BY s.host, s.path_hash") != 0)
		return -1;
	bind_integers(&cursor->query, values, sizeof values / sizeof *values);
	return 0;
}

int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error)
{
	struct query *query = &cursor->query;

	sketch->features = query_integer(query, cursor->more);
	sketch->cluster = query_integer(query, cursor->more + 1);
	sketch->value = query_bytes(query, cursor->more + 2);
	if (sketch->value.size == size)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table sketch: a sketch has %zu bytes instead of %zu; scan again with "
			 "simhash --force --measure",
			 sketch->value.size, size);
}

/* ---- Keys ---- */

int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error)
{
	const int64_t values[] = {tag_set, from, skip};
	struct query query;

	if (query_begin(&query, store,
			"SELECT uniform FROM file WHERE tag_set = ? AND uniform >= ? "
			"ORDER BY uniform LIMIT 1 OFFSET ?",
			error) != 0)
		return -1;
	bind_integers(&query, values, sizeof values / sizeof *values);
	*key = INT64_MAX;
	return query_first(&query, key, error) < 0 ? -1 : 0;
}
