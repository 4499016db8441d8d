/*
 * Selects streams of rows of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/row_stream.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/open/query.h"
#include "store/rows/file_columns.h"
#include "store/rows/sketch_rows.h"

struct row_cursor {
	struct query query;
	enum simhash_key key; /* the second one */
	bool with_resemblance;
	size_t key_count; /* of store_rows_with: parameters */
};

/* The columns of every stream of `file f`, in the order of store_rows_next; then the second key. */
#define ROW_SELECT                                                                         \
	"SELECT f.host, f.path_hash, f.directory, f.name, f.size, f.mtime_ns, "            \
	"f.compressed_size, f.device, f.inode, f.content_hash, "                           \
	" f.uniform, f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, "                   \
	"f.sum_05, f.sum_06, f.sum_07, f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, " \
	"f.sum_13, f.sum_14, f.sum_15, f.%s"

#define STREAM_COLUMNS (12 + SIMHASH_TAGS) /* and the resemblance sketch, where it is read */

/* Entries of the index of uniform that are within bounds, and their rows. */
#define FROM_NEAR_INDEX                                                                \
	" FROM file i CROSS JOIN file f ON f.tag_set = i.tag_set AND f.host = i.host " \
	"AND f.path_hash = i.path_hash "

/* `tail` is what follows the columns of the stream: more columns, tables and conditions. */
static int cursor_new(struct store *store, enum simhash_key key, bool with_resemblance,
		      const char *tail, struct row_cursor **cursor, struct simhash_error *error)
{
	*cursor = malloc(sizeof **cursor);
	if (*cursor == NULL)
		return error_set_memory(error);
	**cursor = (struct row_cursor){.key = key, .with_resemblance = with_resemblance};
	if (query_begin_format(&(*cursor)->query, store, error, ROW_SELECT "%s%s",
			       simhash_key_name(key),
			       with_resemblance ? ", f.resemblance_sketch" : "", tail) == 0)
		return 0;
	free(*cursor);
	*cursor = NULL;
	return -1;
}

static void bind_integers(struct query *query, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		query_bind_integer(query, values[i]);
}

static int64_t size_min(bool with_empty)
{
	return with_empty ? INT64_MIN : 1;
}

/* uniform is always read; this is the other key. */
static enum simhash_key second_key(const struct key_range *range)
{
	return range->key == SIMHASH_UNIFORM ? range->also : range->key;
}

int store_rows_in_order(struct store *store, const struct key_range *range,
			struct row_cursor **cursor, struct simhash_error *error)
{
	const int64_t values[] = {range->tag_set, range->low, range->high,
				  size_min(range->with_empty)};
	const char *key = simhash_key_name(range->key);
	/* To both engines +x is not a column, so that they do not use its index. */
	const char *plus = range->order == ORDER_BY_INDEX ? "" : "+";
	char *order = NULL, *tail = NULL;
	int status;

	*cursor = NULL;
	if ((range->order != ORDER_NONE &&
	     asprintf(&order, " ORDER BY %sf.%s, f.host, f.path_hash", plus, key) < 0) ||
	    asprintf(&tail,
		     " FROM file f WHERE f.tag_set = ? AND %sf.%s BETWEEN ? AND ? "
		     "AND f.size >= ?%s",
		     plus, key, order == NULL ? "" : order) < 0)
		status = error_set_memory(error);
	else
		status = cursor_new(store, second_key(range), range->with_resemblance, tail, cursor,
				    error);
	if (status == 0)
		bind_integers(&(*cursor)->query, values, sizeof values / sizeof *values);
	free(tail);
	free(order);
	return status;
}

int store_rows_lying(struct store *store, const struct key_range *range,
		     const struct row_place *place, struct row_cursor **cursor,
		     struct simhash_error *error)
{
	bool is_one_host = place->first_host == place->last_host,
	     has_parts = place->partitions != NULL;
	char *tail;
	int status;

	*cursor = NULL;
	/* The condition of sizes must not make an engine read by another index. */
	if (asprintf(&tail, " FROM file%s%s%s f WHERE f.tag_set = ? AND +f.size >= ? AND %s",
		     has_parts ? " PARTITION (" : "", has_parts ? place->partitions : "",
		     has_parts ? ")" : "",
		     is_one_host ? "f.host = ? AND f.path_hash BETWEEN ? AND ? "
				   "ORDER BY f.path_hash LIMIT ?"
				 : "f.host BETWEEN ? AND ?") < 0)
		return error_set_memory(error);
	status = cursor_new(store, second_key(range), range->with_resemblance, tail, cursor, error);
	free(tail);
	if (status != 0)
		return -1;
	query_bind_integer(&(*cursor)->query, range->tag_set);
	query_bind_integer(&(*cursor)->query, size_min(range->with_empty));
	query_bind_integer(&(*cursor)->query, place->first_host);
	if (is_one_host) {
		query_bind_range(&(*cursor)->query, &place->hashes);
		query_bind_integer(&(*cursor)->query, place->most);
	} else {
		query_bind_integer(&(*cursor)->query, place->last_host);
	}
	return 0;
}

int store_rows_reaching(struct store *store, const struct key_range *range, int64_t target,
			int64_t up, int64_t down, struct row_cursor **cursor,
			struct simhash_error *error)
{
	const int64_t values[] = {
		range->tag_set, range->low, range->high, size_min(range->with_empty),
		target,		down,	    up};

	/* A division of integers may be rounded down or exact: one more makes both enough. */
	if (cursor_new(store, second_key(range), range->with_resemblance,
		       FROM_NEAR_INDEX
		       "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND i.size >= ? "
		       "AND ? - i.uniform <= (i.size / ? + 1) * ? + 2 "
		       "ORDER BY i.uniform, f.host, f.path_hash",
		       cursor, error) != 0)
		return -1;
	bind_integers(&(*cursor)->query, values, sizeof values / sizeof *values);
	return 0;
}

int store_rows_near(struct store *store, const struct near_range *range, struct row_cursor **cursor,
		    struct simhash_error *error)
{
	const int64_t values[] = {range->tag_set, range->uniform[0], range->uniform[1],
				  range->size[0], range->size[1]};

	if (cursor_new(
		    store, range->key, range->with_resemblance,
		    FROM_NEAR_INDEX
		    "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND i.size BETWEEN ? AND ?",
		    cursor, error) != 0)
		return -1;
	bind_integers(&(*cursor)->query, values, sizeof values / sizeof *values);
	return 0;
}

/* " FROM file f WHERE ... IN (?, ?)", for `count` hashes. */
static char *rows_with_tail(size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, " FROM file f WHERE f.tag_set = ? AND f.host = ? AND f.path_hash IN (?");
	for (size_t i = 1; i < count; i++)
		fprintf(sql, ", ?");
	fprintf(sql, ")");
	return close_text(sql, &text) == 0 ? text : NULL;
}

/* Where there are fewer keys than parameters, the last one is bound again: a row is found once. */
static void bind_keys(struct row_cursor *cursor, const struct row_scope *scope,
		      const struct row_key *keys, size_t count)
{
	query_bind_scope(&cursor->query, scope);
	for (size_t i = 0; i < cursor->key_count; i++)
		query_bind_data(&cursor->query, keys[i < count ? i : count - 1].path_hash,
				PATH_HASH_SIZE);
}

int store_rows_with(struct store *store, const struct row_scope *scope, const struct row_key *keys,
		    size_t count, enum simhash_key key, bool with_resemblance,
		    struct row_cursor **cursor, struct simhash_error *error)
{
	char *tail = rows_with_tail(count);
	int status = tail == NULL ? error_set_memory(error)
				  : cursor_new(store, key, with_resemblance, tail, cursor, error);

	free(tail);
	if (status != 0)
		return -1;
	(*cursor)->key_count = count;
	bind_keys(*cursor, scope, keys, count);
	return 0;
}

bool store_rows_with_others(struct row_cursor *cursor, const struct row_scope *scope,
			    const struct row_key *keys, size_t count)
{
	if (cursor == NULL || count > cursor->key_count)
		return false;
	query_again(&cursor->query);
	bind_keys(cursor, scope, keys, count);
	return true;
}

int store_rows_sketched(struct store *store, int64_t tag_set, int64_t measure, enum simhash_key key,
			bool with_empty, bool with_resemblance, struct row_cursor **cursor,
			struct simhash_error *error)
{
	const int64_t values[] = {tag_set, measure, size_min(with_empty)};

	if (cursor_new(store, key, with_resemblance,
		       ", s.features, s.cluster, s.value " FROM_SKETCHED_FILES
		       "WHERE s.tag_set = ? AND s.measure = ? AND s.features > 0 "
		       "AND f.size >= ? ORDER BY s.host, s.path_hash",
		       cursor, error) != 0)
		return -1;
	bind_integers(&(*cursor)->query, values, sizeof values / sizeof *values);
	return 0;
}

static int impossible_row(const struct file_row *row, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "table file: the row of %.*s/%.*s holds numbers that no file has; "
			 "scan it again with simhash --force",
			 (int)row->directory.size, row->directory.data, (int)row->name.size,
			 row->name.data);
}

int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error)
{
	struct query *query = &cursor->query;
	bool possible;
	int status = query_next(query, error);

	if (status != 1)
		return status;
	row->host = query_integer(query, 0);
	row->directory = query_bytes(query, 2);
	row->name = query_bytes(query, 3);
	row->size_bytes = query_integer(query, 4);
	row->mtime_ns = query_integer(query, 5);
	row->compressed_size_bytes = query_integer(query, 6);
	row->device = query_integer(query, 7);
	row->inode = query_integer(query, 8);
	row->keys.key[SIMHASH_UNIFORM] = query_integer(query, 10);
	row->keys.key[cursor->key] = query_integer(query, 11 + SIMHASH_TAGS);
	possible = row->size_bytes >= 0 && row->compressed_size_bytes >= 0 &&
		   row->keys.key[SIMHASH_UNIFORM] >= 0 && row->keys.key[cursor->key] >= 0;
	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		int64_t count = query_integer(query, 11 + t);
		possible = possible && count >= 0 && count <= row->size_bytes;
		row->table.count[t] = (uint64_t)count;
	}
	if (!possible)
		return impossible_row(row, error);
	if (query_fixed_bytes(query, 1, row->path_hash, PATH_HASH_SIZE, error) != 0 ||
	    query_fixed_bytes(query, 9, row->content_hash, CONTENT_HASH_SIZE, error) != 0)
		return -1;
	row->has_resemblance = false;
	if (cursor->with_resemblance && resemblance_take(query, STREAM_COLUMNS, row, error) != 0)
		return -1;
	return 1;
}

int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error)
{
	struct query *query = &cursor->query;
	unsigned first = STREAM_COLUMNS + (cursor->with_resemblance ? 1 : 0);

	sketch->features = query_integer(query, first);
	sketch->cluster = query_integer(query, first + 1);
	sketch->value = query_bytes(query, first + 2);
	if (sketch->value.size == size)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table sketch: a sketch has %zu bytes instead of %zu; scan again with "
			 "simhash --force --measure",
			 sketch->value.size, size);
}

void store_rows_end(struct row_cursor *cursor)
{
	if (cursor == NULL)
		return;
	query_end(&cursor->query);
	free(cursor);
}

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
