/*
 * Writes, reads and removes rows of the table `pieces`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/piece_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/open/transaction.h"
#include "store/rows/upsert.h"

static const char *const columns[] = {"value"};
static const struct upsert piece_upsert = {
	.table = "pieces",
	.key = "tag_set, content_hash, is_text, size",
	.key_count = 4,
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.one = KEPT_UPSERT_PIECES_ONE,
	.many = KEPT_UPSERT_PIECES_MANY,
};

void piece_row_of(const struct file_row *row, struct piece_row *key)
{
	*key = (struct piece_row){.is_text = row_is_text(row->contents),
				  .size_bytes = row->size_bytes};
	memcpy(key->content_hash, row->content_hash, CONTENT_HASH_SIZE);
}

int compare_piece_rows(const void *a, const void *b)
{
	const struct piece_row *x = a, *y = b;
	int order = memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);

	if (order == 0)
		order = x->is_text - y->is_text;
	return order != 0 ? order
			  : (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static void bind_key(struct query *query, int64_t tag_set, const struct piece_row *row)
{
	query_bind_integer(query, tag_set);
	query_bind_data(query, row->content_hash, CONTENT_HASH_SIZE);
	query_bind_integer(query, row->is_text);
	query_bind_integer(query, row->size_bytes);
}

/* ---- Reading ---- */

/*
 * The table is read in the order in which it is stored: the plus sign prevents the use of an index,
 * which would look up each row.
 */
int piece_rows_begin(struct query *query, struct store *store, int64_t tag_set,
		     struct simhash_error *error)
{
	return piece_rows_begin_tested(query, store, tag_set, NULL, NULL, error);
}

int piece_rows_divide(struct store *store, struct piece_range *ranges, unsigned count,
		      struct simhash_error *error)
{
	int64_t last = 0;

	if (store->driver->has_row_numbers &&
	    store_read_integer(store, "SELECT max(rowid) FROM pieces", NULL, 0, &last, error) != 0)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		ranges[i].first = i == 0 ? INT64_MIN : ranges[i - 1].last + 1;
		ranges[i].last = i + 1 == count ? INT64_MAX : last / count * (i + 1);
		ranges[i].hashes = hash_range_of_part(i, count);
	}
	return 0;
}

static char *tested_sql(const struct database_driver *driver, const struct piece_range *range,
			const struct row_test *test)
{
	const char *passes = test == NULL ? NULL : driver->row_passes;
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql, "SELECT content_hash, is_text, size, value FROM pieces WHERE ");
	if (range == NULL)
		fprintf(sql, "+tag_set = ?");
	else if (driver->has_row_numbers)
		fprintf(sql, "+tag_set = ? AND rowid BETWEEN ? AND ?");
	else
		fprintf(sql, "tag_set = ? AND content_hash BETWEEN ? AND ?");
	if (passes != NULL)
		fprintf(sql, " AND %s(?, is_text, size, value)", passes);
	return close_text(sql, &text) == 0 ? text : NULL;
}

int piece_rows_begin_tested(struct query *query, struct store *store, int64_t tag_set,
			    const struct piece_range *range, struct row_test *test,
			    struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	char *sql = tested_sql(driver, range, test);
	int status = sql == NULL ? error_set_memory(error) : query_begin(query, store, sql, error);

	free(sql);
	if (status != 0)
		return -1;
	query_bind_integer(query, tag_set);
	if (range != NULL && driver->has_row_numbers) {
		query_bind_integer(query, range->first);
		query_bind_integer(query, range->last);
	} else if (range != NULL) {
		query_bind_range(query, &range->hashes);
	}
	if (test != NULL && driver->row_passes != NULL)
		query_bind_test(query, test);
	return 0;
}

int piece_rows_next(struct query *query, struct piece_row *row, struct simhash_error *error)
{
	int status;

	do {
		status = query_next(query, error);
		if (status != 1)
			return status;
	} while (query_bytes(query, 0).size != CONTENT_HASH_SIZE); /* damaged */
	memcpy(row->content_hash, query_bytes(query, 0).data, CONTENT_HASH_SIZE);
	row->is_text = query_integer(query, 1) != 0;
	row->size_bytes = query_integer(query, 2);
	row->value = query_bytes(query, 3);
	return 1;
}

void piece_rows_end(struct query *query)
{
	query_end(query);
}

int piece_rows_find(struct query *query, struct store *store, int64_t tag_set,
		    struct piece_row *row, struct simhash_error *error)
{
	int status;

	if (query_begin_kept(query, store, KEPT_READ_PIECES,
			     "SELECT value FROM pieces WHERE tag_set = ? AND content_hash = ? "
			     "AND is_text = ? AND size = ?",
			     error) != 0)
		return -1;
	bind_key(query, tag_set, row);
	status = query_next(query, error);
	if (status == 1)
		row->value = query_bytes(query, 0);
	else
		query_end(query);
	return status;
}

/* ---- Writing ---- */

/* The maximum bytes of a row in a statement besides its value, in the protocols of the engines. */
#define PIECE_ROW_BYTES (5 * 12 + CONTENT_HASH_SIZE)

static size_t rows_that_fit(const struct store *store, const struct piece_row *rows, size_t max)
{
	int64_t room = store->max_statement_bytes;
	size_t count = 0;

	while (count < max && room > PIECE_ROW_BYTES + (int64_t)rows[count].value.size)
		room -= PIECE_ROW_BYTES + (int64_t)rows[count++].value.size;
	return count;
}

int piece_rows_insert(struct store *store, int64_t tag_set, const struct piece_row *rows,
		      size_t count, struct simhash_error *error)
{
	size_t max = upsert_rows_max(store), done = 0;

	while (done < count) {
		size_t rest = count - done;
		size_t fitting = rows_that_fit(store, rows + done, rest < max ? rest : max);
		struct query query;
		if (fitting == 0) {
			done++; /* a server with a small max_allowed_packet has no large values */
			continue;
		}
		if (upsert_begin(&query, store, &piece_upsert, &fitting, error) != 0)
			return -1;
		for (size_t i = 0; i < fitting; i++, done++) {
			bind_key(&query, tag_set, &rows[done]);
			query_bind_bytes(&query, rows[done].value);
		}
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

/* Sort rows, and keep one of each content. Returns their number. */
static size_t sort_contents(struct piece_row *rows, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(rows, count, sizeof *rows, compare_piece_rows);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_piece_rows(&rows[i], &rows[kept - 1]) != 0)
			rows[kept++] = rows[i];
	return kept;
}

int piece_rows_write(struct store *store, int64_t tag_set, const struct file_row *const *rows,
		     size_t count, struct simhash_error *error)
{
	struct piece_row *contents = malloc((count + 1) * sizeof *contents);
	size_t filled = 0;
	int status;

	if (contents == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		if (rows[i]->sketches == NULL || rows[i]->sketches->pieces.size == 0)
			continue;
		piece_row_of(rows[i], &contents[filled]);
		contents[filled++].value = rows[i]->sketches->pieces;
	}
	filled = sort_contents(contents, filled);
	status = piece_rows_insert(store, tag_set, contents, filled, error);
	free(contents);
	return status;
}

int piece_rows_remove(struct store *store, int64_t tag_set, const struct piece_row *row,
		      struct simhash_error *error)
{
	struct query query;

	if (query_begin_kept(&query, store, KEPT_REMOVE_PIECES,
			     "DELETE FROM pieces WHERE tag_set = ? AND content_hash = ? "
			     "AND is_text = ? AND size = ?",
			     error) != 0)
		return -1;
	bind_key(&query, tag_set, row);
	return query_run(&query, error);
}

int store_write_pieces(struct store *store, int64_t tag_set, const struct piece_row *rows,
		       size_t count, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = piece_rows_insert(store, tag_set, rows, count, error);
	return status;
}
