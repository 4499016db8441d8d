/*
 * Reads entries of the index of cells, and compares keys of rows.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/near_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"

int row_key_compare(const struct row_key *a, const struct row_key *b)
{
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return memcmp(a->path_hash, b->path_hash, PATH_HASH_SIZE);
}

/* The cells are part of the statement, because their number varies. */
static char *entries_sql(const int64_t *cells, size_t count, const char *conditions,
			 const char *more_conditions)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql,
		"SELECT host, path_hash, cell, uniform, size, skew_ext, outline_00, outline_08 "
		"FROM file WHERE tag_set = ? AND cell IN (");
	for (size_t i = 0; i < count; i++)
		fprintf(sql, "%s%lld", i == 0 ? "" : ", ", (long long)cells[i]);
	fprintf(sql, ") AND uniform BETWEEN ? AND ?%s%s", conditions, more_conditions);
	return close_text(sql, &text) == 0 ? text : NULL;
}

static void bind_bounds(struct query *query, const int64_t bounds[2])
{
	query_bind_integer(query, bounds[0]);
	query_bind_integer(query, bounds[1]);
}

/* Takes ownership of the statement, which is NULL if memory is short. */
static int begin(struct cell_entries *entries, struct store *store, char *sql, int64_t tag_set,
		 const int64_t uniform[2], struct simhash_error *error)
{
	int status = sql == NULL ? error_set_memory(error)
				 : query_begin(&entries->query, store, sql, error);

	free(sql);
	entries->near = NULL;
	if (status != 0)
		return -1;
	query_bind_integer(&entries->query, tag_set);
	bind_bounds(&entries->query, uniform);
	return 0;
}

int store_entries_begin(struct cell_entries *entries, struct store *store, int64_t tag_set,
			const int64_t *cells, size_t count, const int64_t uniform[2],
			struct simhash_error *error)
{
	return begin(entries, store, entries_sql(cells, count, "", ""), tag_set, uniform, error);
}

/*
 * The statement has a condition for each bound, because most entries are not near and passing on a
 * row takes longer than a condition.
 */
static char *near_sql(const struct store *store, const struct cell_range *range)
{
	const char *near = store->driver->outline_is_near;
	int64_t *cells = calloc((size_t)cells_in(range), sizeof *cells);
	size_t count = 0;
	char *sql;

	if (cells == NULL)
		return NULL;
	for (int64_t i = range->first[0]; i <= range->last[0]; i++)
		for (int64_t j = range->first[1]; j <= range->last[1]; j++)
			cells[count++] = cell_at(range, i, j);
	sql = entries_sql(cells, count, near == NULL ? "" : near,
			  " AND signed_1 BETWEEN ? AND ? AND signed_2 BETWEEN ? AND ? "
			  "AND size BETWEEN ? AND ? AND skew_ext BETWEEN ? AND ?");
	free(cells);
	return sql;
}

int store_entries_begin_near(struct cell_entries *entries, struct store *store, int64_t tag_set,
			     const struct near_bounds *bounds, struct simhash_error *error)
{
	const struct cell_range *cells = &bounds->cells;
	struct query *query = &entries->query;

	if (begin(entries, store, near_sql(store, cells), tag_set, bounds->uniform, error) != 0)
		return -1;
	if (store->driver->outline_is_near != NULL)
		query_bind_data(query, &cells->near, sizeof cells->near);
	else
		entries->near = &cells->near;
	for (unsigned s = 0; s < SIGNED_SUMS; s++) {
		query_bind_integer(query, cells->low[s]);
		query_bind_integer(query, cells->high[s]);
	}
	bind_bounds(query, bounds->size);
	bind_bounds(query, bounds->skew_ext);
	return 0;
}

static bool is_near(const struct outline_range *near, struct query *query)
{
	int64_t outline[OUTLINES];
	struct outline_counts counts;

	for (unsigned i = 0; i < OUTLINES; i++)
		outline[i] = query_integer(query, 6 + i);
	counts = outline_unpack(outline);
	return outline_is_near(near, &counts);
}

static int take_key(struct query *query, struct row_key *key, struct simhash_error *error)
{
	key->host = query_integer(query, 0);
	return query_fixed_bytes(query, 1, key->path_hash, PATH_HASH_SIZE, error) == 0 ? 1 : -1;
}

int store_entries_next(struct cell_entries *entries, struct cell_entry *entry,
		       struct simhash_error *error)
{
	struct query *query = &entries->query;
	int status;

	do
		status = query_next(query, error);
	while (status == 1 && entries->near != NULL && !is_near(entries->near, query));
	if (status != 1)
		return status;
	entry->cell = query_integer(query, 2);
	entry->uniform = query_integer(query, 3);
	entry->size_bytes = query_integer(query, 4);
	entry->skew_ext = query_integer(query, 5);
	for (unsigned i = 0; i < OUTLINES; i++)
		entry->outline[i] = query_integer(query, 6 + i);
	return take_key(query, &entry->key, error);
}

void store_entries_end(struct cell_entries *entries)
{
	query_end(&entries->query);
}

/* ---- Rows that pass a test ---- */

/* Rows are looked up in the order of the table, which the LIMIT preserves. */
#define FROM_FEW_ROWS                                                                       \
	" FROM (SELECT tag_set, host, path_hash FROM file WHERE size BETWEEN ? AND ? "      \
	"AND uniform BETWEEN ? AND ? AND tag_set = ? "                                      \
	"ORDER BY host, path_hash LIMIT 9223372036854775807) i CROSS JOIN file f "          \
	"ON f.tag_set = i.tag_set AND f.host = i.host AND f.path_hash = i.path_hash WHERE " \
	"f.size >= 0"

static const char *rows_of(const struct row_place *place)
{
	if (place == NULL)
		return FROM_FEW_ROWS;
	if (place->first_host == place->last_host)
		return " FROM file f WHERE +f.size BETWEEN ? AND ? AND +f.uniform BETWEEN ? AND ? "
		       "AND f.tag_set = ? AND f.host = ? AND f.path_hash BETWEEN ? AND ?";
	return " FROM file f WHERE +f.size BETWEEN ? AND ? AND +f.uniform BETWEEN ? AND ? "
	       "AND f.tag_set = ? AND f.host BETWEEN ? AND ?";
}

static void bind_place(struct query *query, const struct row_place *place)
{
	query_bind_integer(query, place->first_host);
	if (place->first_host == place->last_host)
		query_bind_range(query, &place->hashes);
	else
		query_bind_integer(query, place->last_host);
}

/*
 * The + prevents the engines from using another index, which would look up each row. The size comes
 * first, because its column is near the beginning of a row, and it excludes most rows.
 */
int store_tested_begin(struct tested_keys *keys, struct store *store, int64_t tag_set,
		       const struct row_place *place, const int64_t uniform[2],
		       const int64_t sizes[2], struct row_test *test, struct simhash_error *error)
{
	static const char columns[] = "f.size, f.uniform, f.resemblance_sketch";
	const char *passes = store->driver->row_passes, *rows = rows_of(place);
	struct query *query = &keys->query;
	int status;

	keys->test = passes == NULL ? test : NULL;
	status = passes == NULL
			 ? query_begin_format(query, store, error,
					      "SELECT f.host, f.path_hash, %s%s", columns, rows)
			 : query_begin_format(query, store, error,
					      "SELECT f.host, f.path_hash%s AND %s(?, %s)", rows,
					      passes, columns);
	if (status != 0)
		return -1;
	bind_bounds(query, sizes);
	bind_bounds(query, uniform);
	query_bind_integer(query, tag_set);
	if (place != NULL)
		bind_place(query, place);
	if (passes != NULL)
		query_bind_test(query, test);
	return 0;
}

static bool row_passes(const struct row_test *test, struct query *query)
{
	return test->passes(test->context, query_integer(query, 2), query_integer(query, 3),
			    query_bytes(query, 4));
}

int store_tested_next(struct tested_keys *keys, struct row_key *key, struct simhash_error *error)
{
	int status;

	do
		status = query_next(&keys->query, error);
	while (status == 1 && keys->test != NULL && !row_passes(keys->test, &keys->query));
	return status == 1 ? take_key(&keys->query, key, error) : status;
}

void store_tested_end(struct tested_keys *keys)
{
	query_end(&keys->query);
}

int store_are_few(struct store *store, int64_t tag_set, const int64_t uniform[2],
		  const int64_t sizes[2], int64_t most, bool *are_few, struct simhash_error *error)
{
	const int64_t values[] = {tag_set,  uniform[0], uniform[1],
				  sizes[0], sizes[1],	most < INT64_MAX ? most + 1 : most};
	int64_t count;

	if (store_read_integer(store,
			       "SELECT COUNT(*) FROM (SELECT 1 FROM file WHERE tag_set = ? "
			       "AND uniform BETWEEN ? AND ? AND size BETWEEN ? AND ? LIMIT ?) few",
			       values, sizeof values / sizeof *values, &count, error) != 0)
		return -1;
	*are_few = count <= most;
	return 0;
}

/* ---- Rows by size ---- */

#define SIZES_LISTED 256 /* the maximum number of sizes in the text of a statement */

static char *sized_sql(const int64_t *sizes, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT host, path_hash, size FROM file WHERE tag_set = ? "
		     "AND cell BETWEEN ? AND ?");
	for (size_t i = 0; count <= SIZES_LISTED && i < count; i++)
		fprintf(sql, "%s%lld%s", i == 0 ? " AND size IN (" : ", ", (long long)sizes[i],
			i + 1 == count ? ")" : "");
	return close_text(sql, &text) == 0 ? text : NULL;
}

int store_sized_begin(struct query *query, struct store *store, int64_t tag_set,
		      const int64_t *sizes, size_t count, size_t *first,
		      struct simhash_error *error)
{
	int64_t class = size_class_of(sizes[*first]);
	size_t end = *first;
	char *sql;
	int status;

	while (end < count && size_class_of(sizes[end]) == class)
		end++;
	sql = sized_sql(sizes + *first, end - *first);
	*first = end;
	status = sql == NULL ? error_set_memory(error) : query_begin(query, store, sql, error);
	free(sql);
	if (status != 0)
		return -1;
	query_bind_integer(query, tag_set);
	query_bind_integer(query, cell_lowest(class));
	query_bind_integer(query, cell_lowest(class + 1) - 1);
	return 0;
}

int store_sized_next(struct query *query, struct row_key *key, int64_t *size_bytes,
		     struct simhash_error *error)
{
	int status = query_next(query, error);

	if (status != 1)
		return status;
	*size_bytes = query_integer(query, 2);
	return take_key(query, key, error);
}
