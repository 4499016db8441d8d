/*
 * Writes and reads the table scan_run.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/scan_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/names/ids.h"
#include "store/open/connection.h"
#include "store/open/query.h"
#include "store/open/transaction.h"

/* Return the id of a run with the same start time and root, or 0. */
static int find_run(struct store *store, const struct row_scope *scope, const struct scan_run *run,
		    int64_t *id, struct simhash_error *error)
{
	struct query query;

	if (query_begin(&query, store,
			"SELECT id FROM scan_run WHERE tag_set = ? AND host = ? "
			"AND started_at_ns = ? AND root = ?",
			error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_integer(&query, run->started_at_ns);
	query_bind_bytes(&query, run->root);
	*id = 0;
	return query_first(&query, id, error) < 0 ? -1 : 0;
}

/* The caller has begun a transaction. */
static int enter_run(struct store *store, const struct row_scope *scope, struct scan_run *run,
		     struct simhash_error *error)
{
	struct query query;

	if (find_run(store, scope, run, &run->id, error) != 0)
		return -1;
	if (run->id != 0) /* a COMMIT succeeded, but its answer was lost */
		return 0;
	if (next_id(store, "SELECT MAX(id) FROM scan_run", &run->id, error) != 0 ||
	    query_begin(&query, store,
			"INSERT INTO scan_run(id, tag_set, host, root, started_at_ns) "
			"VALUES (?, ?, ?, ?, ?)",
			error) != 0)
		return -1;
	query_bind_integer(&query, run->id);
	query_bind_scope(&query, scope);
	query_bind_bytes(&query, run->root);
	query_bind_integer(&query, run->started_at_ns);
	return query_run(&query, error) != 0 ? duplicate_is_retry(error) : 0;
}

int store_run_start(struct store *store, const struct row_scope *scope, struct scan_run *run,
		    struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = enter_run(store, scope, run, error);
	return status;
}

/* The caller has begun a transaction. */
static int enter_runs(struct store *store, const struct scan_run *runs, size_t count,
		      struct simhash_error *error)
{
	int64_t id;

	if (next_id(store, "SELECT MAX(id) FROM scan_run", &id, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct query query;
		if (query_begin_kept(&query, store, KEPT_ENTER_RUN,
				     "INSERT INTO scan_run(id, tag_set, host, root, started_at_ns, "
				     "finished_at_ns, files, bytes, errors) "
				     "VALUES (?, ?, ?, ?, ?, NULLIF(?, 0), ?, ?, ?)",
				     error) != 0)
			return -1;
		query_bind_integer(&query, id + (int64_t)i);
		query_bind_scope(&query, &runs[i].scope);
		query_bind_bytes(&query, runs[i].root);
		query_bind_integer(&query, runs[i].started_at_ns);
		query_bind_integer(&query, runs[i].finished_at_ns);
		query_bind_integer(&query, runs[i].files);
		query_bind_integer(&query, runs[i].bytes);
		query_bind_integer(&query, runs[i].errors);
		if (query_run(&query, error) != 0)
			return duplicate_is_retry(error);
	}
	return 0;
}

int store_runs_enter(struct store *store, const struct scan_run *runs, size_t count,
		     struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = enter_runs(store, runs, count, error);
	return status;
}

int store_run_finish(struct store *store, const struct scan_run *run, struct simhash_error *error)
{
	const int64_t values[] = {run->finished_at_ns, run->files, run->bytes, run->errors,
				  run->id};
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = store_run(
			store,
			"UPDATE scan_run SET finished_at_ns = NULLIF(?, 0), files = ?, bytes = ?, "
			"errors = ? WHERE id = ?",
			values, 5, error);
	return status;
}

static int read_last_scan(struct store *store, const struct row_scope *scope, int64_t *last_ns,
			  struct simhash_error *error)
{
	const int64_t values[] = {scope->tag_set, scope->host, scope->tag_set, scope->host};
	int64_t open_runs = 1;

	*last_ns = INT64_MAX;
	if (store_read_integer(store,
			       "SELECT COUNT(*) FROM scan_run WHERE tag_set = ? AND host = ? "
			       "AND finished_at_ns IS NULL AND started_at_ns >= "
			       "(SELECT COALESCE(MAX(finished_at_ns), 0) FROM scan_run "
			       "WHERE tag_set = ? AND host = ?)",
			       values, 4, &open_runs, error) != 0)
		return -1;
	if (open_runs > 0)
		return 0;
	return store_read_integer(store,
				  "SELECT COALESCE(MAX(finished_at_ns), 9223372036854775807) "
				  "FROM scan_run WHERE tag_set = ? AND host = ?",
				  values, 2, last_ns, error);
}

int store_last_scan(struct store *store, const struct row_scope *scope, int64_t *last_ns,
		    struct simhash_error *error)
{
	while (read_last_scan(store, scope, last_ns, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	return 0;
}

static int append_run(void *context, struct query *query, struct simhash_error *error)
{
	struct scan_run_list *list = context;
	struct bytes root = query_bytes(query, 3);
	char *copy;

	if (array_reserve(&list->runs, &list->capacity, list->count + 1, sizeof *list->runs,
			  error) != 0)
		return -1;
	copy = arena_take(&list->roots, root.size + 1);
	if (copy == NULL)
		return error_set_memory(error);
	memcpy(copy, root.data, root.size);
	list->runs[list->count++] = (struct scan_run){
		.id = query_integer(query, 0),
		.scope = {query_integer(query, 1), query_integer(query, 2)},
		.root = {copy, root.size},
		.started_at_ns = query_integer(query, 4),
		.finished_at_ns = query_integer(query, 5),
		.files = query_integer(query, 6),
		.bytes = query_integer(query, 7),
		.errors = query_integer(query, 8),
	};
	return 0;
}

int store_read_runs(struct store *store, struct scan_run_list *list, struct simhash_error *error)
{
	struct query query;
	int status;

	*list = (struct scan_run_list){.runs = NULL};
	if (query_begin(&query, store,
			"SELECT id, tag_set, host, root, started_at_ns, finished_at_ns, files, "
			"bytes, errors FROM scan_run ORDER BY id",
			error) != 0)
		return -1;
	status = query_each(&query, append_run, list, error);
	if (status != 0)
		scan_run_list_release(list);
	return status;
}

void scan_run_list_release(struct scan_run_list *list)
{
	arena_release(&list->roots);
	free(list->runs);
	*list = (struct scan_run_list){.runs = NULL};
}
