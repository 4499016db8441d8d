/*
 * Writes and removes rows of the tables file_group and file_pair.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/answer_rows.h"

#include "store/open/transaction.h"
#include "store/rows/upsert.h"
#include "store/write/find_run.h"

static const char *const group_columns[] = {
	"content_hash",	       "group_id", "role",	  "representative_host",
	"representative_hash", "distance", "resemblance", "verified"};
static const struct upsert group_upsert = {
	.table = "file_group",
	.key = "run, path_hash, host",
	.key_count = 3,
	.columns = group_columns,
	.column_count = sizeof group_columns / sizeof *group_columns,
	.one = KEPT_UPSERT_GROUP_ONE,
	.many = KEPT_UPSERT_GROUP_MANY,
};

static const char *const pair_columns[] = {"content_hash_a", "content_hash_b", "is_copy",
					   "distance",	     "resemblance",    "verified",
					   "contained_a",    "contained_b"};
static const struct upsert pair_upsert = {
	.table = "file_pair",
	.key = "run, path_hash_a, host_a, path_hash_b, host_b",
	.key_count = 5,
	.columns = pair_columns,
	.column_count = sizeof pair_columns / sizeof *pair_columns,
	.one = KEPT_UPSERT_PAIR_ONE,
	.many = KEPT_UPSERT_PAIR_MANY,
};

size_t answer_rows_max(const struct store *store)
{
	return store->driver->rows_per_transaction;
}

/* The maximum bytes of a row in a statement, in the protocols of the engines. */
#define ROW_BYTES 384

static size_t rows_that_fit(const struct store *store, size_t rows)
{
	size_t max = upsert_rows_max(store);
	uint64_t fitting = (uint64_t)store->max_statement_bytes / ROW_BYTES;

	if (rows > max)
		rows = max;
	return rows < fitting ? rows : (size_t)fitting;
}

static void bind_hash(struct query *query, const uint8_t *hash)
{
	_Static_assert(PATH_HASH_SIZE == CONTENT_HASH_SIZE, "both are bound here");
	query_bind_data(query, hash, PATH_HASH_SIZE);
}

/* The engine converts the text to a number. */
static void bind_share(struct query *query, const char *share)
{
	if (share[0] == '\0')
		query_bind_null(query);
	else
		query_bind_text(query, share);
}

static void bind_likeness(struct query *query, const struct answer_likeness *likeness)
{
	query_bind_integer(query, likeness->distance);
	bind_share(query, likeness->resemblance);
	query_bind_text(query, likeness->verified);
}

static void bind_group_row(struct query *query, int64_t run, const void *row)
{
	const struct group_row *group = row;

	query_bind_integer(query, run);
	bind_hash(query, group->file.path_hash);
	query_bind_integer(query, group->file.host);
	bind_hash(query, group->file.content_hash);
	query_bind_text(query, group->group_id);
	query_bind_text(query, group->role);
	query_bind_integer(query, group->representative.host);
	bind_hash(query, group->representative.path_hash);
	bind_likeness(query, &group->likeness);
}

static void bind_pair_row(struct query *query, int64_t run, const void *row)
{
	const struct pair_row *pair = row;

	query_bind_integer(query, run);
	bind_hash(query, pair->a.path_hash);
	query_bind_integer(query, pair->a.host);
	bind_hash(query, pair->b.path_hash);
	query_bind_integer(query, pair->b.host);
	bind_hash(query, pair->a.content_hash);
	bind_hash(query, pair->b.content_hash);
	query_bind_integer(query, pair->is_copy);
	bind_likeness(query, &pair->likeness);
	bind_share(query, pair->contained_a);
	bind_share(query, pair->contained_b);
}

/* The common parts of both tables. */
struct answer_rows {
	const struct upsert *upsert;
	void (*bind)(struct query *query, int64_t run, const void *row);
	const char *rows;
	size_t count, row_size;
};

/* The caller has begun a transaction. */
static int insert_rows(struct store *store, int64_t run, const struct answer_rows *rows,
		       struct simhash_error *error)
{
	size_t done = 0;

	if (find_run_hold(store, run, error) != 0)
		return -1;
	while (done < rows->count) {
		size_t fitting = rows_that_fit(store, rows->count - done);
		struct query query;
		if (upsert_begin(&query, store, rows->upsert, &fitting, error) != 0)
			return -1;
		for (size_t i = 0; i < fitting; i++)
			rows->bind(&query, run, rows->rows + done++ * rows->row_size);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

static int write_rows(struct store *store, int64_t run, const struct answer_rows *rows,
		      struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = insert_rows(store, run, rows, error);
	return status;
}

int group_rows_write(struct store *store, int64_t run, const struct group_row *rows, size_t count,
		     struct simhash_error *error)
{
	const struct answer_rows all = {&group_upsert, bind_group_row, (const char *)rows, count,
					sizeof *rows};

	return write_rows(store, run, &all, error);
}

int pair_rows_write(struct store *store, int64_t run, const struct pair_row *rows, size_t count,
		    struct simhash_error *error)
{
	const struct answer_rows all = {&pair_upsert, bind_pair_row, (const char *)rows, count,
					sizeof *rows};

	return write_rows(store, run, &all, error);
}

static const struct {
	enum kept_statement which;
	const char *sql;
} removals[] = {
	{KEPT_REMOVE_GROUP_FILE,
	 "DELETE FROM file_group WHERE run = ? AND host = ? AND path_hash BETWEEN ? AND ?"},
	{KEPT_REMOVE_GROUP, "DELETE FROM file_group WHERE run = ? AND representative_host = ? "
			    "AND representative_hash BETWEEN ? AND ?"},
	{KEPT_REMOVE_PAIR_A,
	 "DELETE FROM file_pair WHERE run = ? AND host_a = ? AND path_hash_a BETWEEN ? AND ?"},
	{KEPT_REMOVE_PAIR_B,
	 "DELETE FROM file_pair WHERE run = ? AND host_b = ? AND path_hash_b BETWEEN ? AND ?"},
};

int answer_rows_remove(struct store *store, int64_t run, int64_t host,
		       const struct hash_range *range, struct simhash_error *error)
{
	for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
		struct query query;
		if (query_begin_kept(&query, store, removals[i].which, removals[i].sql, error) != 0)
			return -1;
		query_bind_integer(&query, run);
		query_bind_integer(&query, host);
		query_bind_range(&query, range);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}
