/*
 * Writes, reads and removes rows of the table `pieces`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/piece_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
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
int piece_rows_begin_tested(struct query *query, struct store *store, int64_t tag_set,
			    struct row_test *test, struct simhash_error *error)
{
	const char *passes = test == NULL ? NULL : store->driver->row_passes;

	if (query_begin_format(query, store, error,
			       "SELECT content_hash, is_text, size, value FROM pieces "
			       "WHERE +tag_set = ?%s%s%s",
			       passes == NULL ? "" : " AND ", passes == NULL ? "" : passes,
			       passes == NULL ? "" : "(?, is_text, size, value)") != 0)
		return -1;
	query_bind_integer(query, tag_set);
	if (passes != NULL)
		query_bind_test(query, test);
	return 0;
}

int piece_rows_begin(struct query *query, struct store *store, int64_t tag_set,
		     struct simhash_error *error)
{
	return piece_rows_begin_tested(query, store, tag_set, NULL, error);
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
