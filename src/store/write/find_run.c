/*
 * Writes and reads the table find_run, and removes the rows of replaced runs.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/find_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/names/ids.h"
#include "store/open/query.h"
#include "store/open/transaction.h"

static int insert_run(struct store *store, const struct find_run *run, struct simhash_error *error)
{
	struct query query;

	if (query_begin(&query, store,
			"INSERT INTO find_run(id, tag_set, host, options, program_version, state, "
			"started_at_ns) VALUES (?, ?, ?, ?, ?, 'begun', ?)",
			error) != 0)
		return -1;
	query_bind_integer(&query, run->id);
	query_bind_integer(&query, run->tag_set);
	query_bind_text(&query, run->host);
	query_bind_bytes(&query, run->options);
	query_bind_text(&query, run->program_version);
	query_bind_integer(&query, run->started_at_ns);
	return query_run(&query, error) != 0 ? duplicate_is_retry(error) : 0;
}

/* The caller has begun a transaction. */
static int enter_run(struct store *store, struct find_run *run, struct simhash_error *error)
{
	if (store_run(store,
		      "UPDATE find_run SET state = 'replaced' WHERE tag_set = ? AND state = "
		      "'begun'",
		      &run->tag_set, 1, error) != 0 ||
	    next_id(store, "SELECT MAX(id) FROM find_run", &run->id, error) != 0)
		return -1;
	return insert_run(store, run, error);
}

int find_run_begin(struct store *store, struct find_run *run, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = enter_run(store, run, error);
	if (status != 0)
		run->id = 0; /* it may belong to another run */
	return status;
}

static int was_replaced(struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "another simfind --store has started and replaces this run");
}

int find_run_hold(struct store *store, int64_t run, struct simhash_error *error)
{
	int64_t is_there;

	/* The update locks the row, so later reads in this transaction stay true. */
	if (store_run(store, "UPDATE find_run SET state = 'begun' WHERE id = ? AND state = 'begun'",
		      &run, 1, error) != 0 ||
	    store_read_integer(store,
			       "SELECT COUNT(*) FROM find_run WHERE id = ? AND state = 'begun'",
			       &run, 1, &is_there, error) != 0)
		return -1;
	return is_there == 0 ? was_replaced(error) : 0;
}

int find_run_current(struct store *store, int64_t tag_set, int64_t *run,
		     struct simhash_error *error)
{
	struct query query;

	*run = 0;
	if (query_begin_kept(&query, store, KEPT_CURRENT_FIND_RUN,
			     "SELECT id FROM find_run WHERE tag_set = ? AND state = 'current'",
			     error) != 0)
		return -1;
	query_bind_integer(&query, tag_set);
	return query_first(&query, run, error) < 0 ? -1 : 0;
}

/* Copy a text and terminate it with a zero. */
static char *keep_text(struct find_run_list *list, struct bytes text)
{
	char *kept = arena_take(&list->texts, text.size + 1);

	if (kept != NULL) {
		memcpy(kept, text.data, text.size);
		kept[text.size] = '\0';
	}
	return kept;
}

static int append_run(void *context, struct query *query, struct simhash_error *error)
{
	struct find_run_list *list = context;
	struct bytes options = query_bytes(query, 3);
	char *host = keep_text(list, query_bytes(query, 2)), *kept = keep_text(list, options);

	if (host == NULL || kept == NULL)
		return error_set_memory(error);
	if (array_reserve(&list->runs, &list->capacity, list->count + 1, sizeof *list->runs,
			  error) != 0)
		return -1;
	list->runs[list->count++] = (struct find_run){
		.id = query_integer(query, 0),
		.tag_set = query_integer(query, 1),
		.host = host,
		.options = {kept, options.size},
		.started_at_ns = query_integer(query, 4),
		.finished_at_ns = query_integer(query, 5),
		.groups = query_integer(query, 6),
		.files = query_integer(query, 7),
		.pairs = query_integer(query, 8),
		.stored_pairs = query_integer(query, 9),
	};
	return 0;
}

int find_runs_read(struct store *store, struct find_run_list *list, struct simhash_error *error)
{
	struct query query;
	int status;

	*list = (struct find_run_list){.runs = NULL};
	if (query_begin(&query, store,
			"SELECT id, tag_set, host, options, started_at_ns, finished_at_ns, "
			"group_count, file_count, COALESCE(pair_count, -1), stored_pair_count "
			"FROM find_run WHERE state = 'current' ORDER BY tag_set",
			error) != 0)
		return -1;
	status = query_each(&query, append_run, list, error);
	if (status != 0)
		find_run_list_release(list);
	return status;
}

void find_run_list_release(struct find_run_list *list)
{
	arena_release(&list->texts);
	free(list->runs);
	*list = (struct find_run_list){.runs = NULL};
}

/*
 * The caller has begun a transaction. The run may be current already, if the answer of a COMMIT was
 * lost.
 */
static int make_current(struct store *store, const struct find_run *run,
			struct simhash_error *error)
{
	const int64_t counts[] = {run->finished_at_ns, run->groups,	  run->files,
				  run->pairs,	       run->stored_pairs, run->id};
	const int64_t others[] = {run->tag_set, run->id};
	int64_t current;

	if (store_run(store,
		      "UPDATE find_run SET state = 'current', finished_at_ns = ?, group_count = ?, "
		      "file_count = ?, pair_count = NULLIF(?, -1), stored_pair_count = ? WHERE id "
		      "= ? AND "
		      "state <> 'replaced'",
		      counts, 6, error) != 0 ||
	    store_run(store,
		      "UPDATE find_run SET state = 'replaced' WHERE tag_set = ? AND id <> ? AND "
		      "state = 'current'",
		      others, 2, error) != 0 ||
	    find_run_current(store, run->tag_set, &current, error) != 0)
		return -1;
	return current == run->id ? 0 : was_replaced(error);
}

/* ---- Removing rows ---- */

/* Rows to remove are smaller than rows to write, and neighbours share pages. */
#define BATCHES_AT_ONCE 4

struct answer_table {
	const char *nth, *remove;
};

static const struct answer_table tables[] = {
	{"SELECT path_hash FROM file_group WHERE run = ? ORDER BY path_hash LIMIT 1 OFFSET ?",
	 "DELETE FROM file_group WHERE run = ? AND path_hash <= ?"},
	{"SELECT path_hash_a FROM file_pair WHERE run = ? ORDER BY path_hash_a LIMIT 1 OFFSET ?",
	 "DELETE FROM file_pair WHERE run = ? AND path_hash_a <= ?"},
};

/* Find the last path hash of the next rows to remove; the maximum if few rows are left. */
static int find_end(struct store *store, const char *sql, int64_t run, uint8_t hash[PATH_HASH_SIZE],
		    bool *is_last, struct simhash_error *error)
{
	struct query query;
	int status;

	for (int i = 0; i < PATH_HASH_SIZE; i++)
		hash[i] = UINT8_MAX;
	if (query_begin(&query, store, sql, error) != 0)
		return -1;
	query_bind_integer(&query, run);
	query_bind_integer(&query, BATCHES_AT_ONCE * store->driver->rows_per_transaction);
	status = query_next(&query, error);
	*is_last = status == 0;
	if (status == 1)
		status = query_fixed_bytes(&query, 0, hash, PATH_HASH_SIZE, error);
	query_end(&query);
	return status < 0 ? -1 : 0;
}

/* The caller has begun a transaction. */
static int remove_some(struct store *store, const struct answer_table *table, int64_t run,
		       bool *is_last, struct simhash_error *error)
{
	uint8_t hash[PATH_HASH_SIZE];
	struct query query;

	if (find_end(store, table->nth, run, hash, is_last, error) != 0 ||
	    query_begin(&query, store, table->remove, error) != 0)
		return -1;
	query_bind_integer(&query, run);
	query_bind_data(&query, hash, PATH_HASH_SIZE);
	return query_run(&query, error);
}

static int remove_rows(struct store *store, const struct answer_table *table, int64_t run,
		       struct simhash_error *error)
{
	bool is_last = false;

	while (!is_last) {
		struct transaction transaction = {.store = store};
		int status = 0;
		while (transaction_next(&transaction, &status, error))
			status = remove_some(store, table, run, &is_last, error);
		if (status != 0)
			return -1;
	}
	return 0;
}

static int remove_run(struct store *store, int64_t run, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (remove_rows(store, &tables[i], run, error) != 0)
			return -1;
	while (transaction_next(&transaction, &status, error))
		status = store_run(store, "DELETE FROM find_run WHERE id = ?", &run, 1, error);
	return status;
}

/* Remove the replaced runs in the order of their ids. */
static int remove_replaced(struct store *store, int64_t tag_set, struct simhash_error *error)
{
	for (;;) {
		int64_t run;
		if (store_read_integer(store,
				       "SELECT MIN(id) FROM find_run WHERE tag_set = ? AND state = "
				       "'replaced'",
				       &tag_set, 1, &run, error) != 0)
			return -1;
		if (run == 0)
			return 0;
		if (remove_run(store, run, error) != 0)
			return -1;
	}
}

int find_run_finish(struct store *store, const struct find_run *run, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = make_current(store, run, error);
	return status != 0 ? -1 : remove_replaced(store, run->tag_set, error);
}

void find_run_abandon(struct store *store, const struct find_run *run)
{
	struct transaction transaction = {.store = store};
	struct simhash_error ignored; /* the next run that finishes removes the rest */
	int status = 0;

	while (transaction_next(&transaction, &status, &ignored))
		status = store_run(store,
				   "UPDATE find_run SET state = 'replaced' WHERE id = ? AND state "
				   "= 'begun'",
				   &run->id, 1, &ignored);
	if (status == 0)
		remove_replaced(store, run->tag_set, &ignored);
}
