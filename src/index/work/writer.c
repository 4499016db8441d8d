/*
 * Collects batches into transactions and commits them. A transaction is committed when it is large
 * enough for the engine, or after some seconds. A killed run loses at most that transaction.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/writer.h"

#include <stdlib.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/path.h"
#include "store/open/load.h"
#include "store/rows/known_file.h"

#define COMMIT_AFTER_S 2
#define LOOK_NS (100 * NS_PER_MS) /* the interval at which to check for a stop */
/*
 * The maximum number of batches that wait while a transaction is written. They have the rows of the
 * next transaction.
 */
#define WAITING_MAX QUEUE_CAPACITY_MAX
#ifndef TRANSACTION_ROWS_MAX
#define TRANSACTION_ROWS_MAX SIZE_MAX /* tests use a smaller value */
#endif

int writer_init(struct writer *writer, struct store *store, const struct row_scope *scope,
		const struct roots *roots, const struct failures *failures, unsigned producers,
		atomic_bool *stop, struct simhash_error *error)
{
	*writer = (struct writer){.store = store,
				  .scope = *scope,
				  .roots = roots,
				  .failures = failures,
				  .stop = stop};
	writer->runs = calloc(roots->count, sizeof *writer->runs);
	if (writer->runs == NULL)
		return error_set_memory(error);
	queue_init(&writer->queue, producers, WAITING_MAX);
	return 0;
}

void writer_release(struct writer *writer)
{
	pending_release(&writer->pending);
	free(writer->runs);
	queue_release(&writer->queue);
}

/* ---- Transactions ---- */

/* Count the stored results of a transaction. */
static void count_batch(struct writer *writer, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct task *task = &batch->tasks[i];
		struct scan_run *run = &writer->runs[task->found.directory->root];
		writer->moved += task->result.is_scanned && task->result.is_moved;
		writer->linked += task->result.is_scanned && task->result.is_moved &&
				  task->found.links > 1;
		if (!task_counts(task))
			continue;
		run->files++;
		run->bytes += task_bytes(task);
		writer->scanned++;
		writer->sketched_again += task->found.is_unchanged;
		writer->bytes += (uint64_t)task_bytes(task);
	}
}

static void count_pending(struct writer *writer)
{
	for (size_t i = 0; i < writer->pending.counts.batches; i++)
		count_batch(writer, writer->pending.batches[i]);
}

/* Return how many rows make a transaction full. */
static size_t full_transaction(const struct writer *writer)
{
	size_t rows = store_batch_rows(writer->store);

	return rows < TRANSACTION_ROWS_MAX ? rows : TRANSACTION_ROWS_MAX;
}

/* Write the pending batches. */
static int commit(struct writer *writer, struct simhash_error *error)
{
	struct store_batch changes = pending_changes(&writer->pending);
	int64_t removed = 0;
	int status = 0;

	if (changes.row_count > 0 || changes.removed_file_count > 0 || changes.relinked_count > 0 ||
	    changes.removed_directory_count > 0 || changes.renewed_count > 0 ||
	    changes.damage_count > 0)
		status = store_write(writer->store, &writer->scope, &changes, &removed, error);
	if (status == 0) {
		count_pending(writer);
		writer->rows_removed += (uint64_t)removed;
	}
	pending_drop(&writer->pending);
	return status;
}

static bool is_full(const struct writer *writer, size_t full)
{
	return writer->pending.counts.rows >= full || writer->pending.counts.removed >= full ||
	       writer->pending.counts.relinked >= full ||
	       writer->pending.counts.removed_directories >= full ||
	       writer->pending.counts.renewed >= full;
}

static int64_t errors_of(const struct writer *writer, unsigned root)
{
	return (int64_t)atomic_load(&writer->failures->counts[root]);
}

/* Take a batch. If only the largest files follow, end the load now, which builds the indexes. */
static int take_next(struct writer *writer, struct batch *batch, struct simhash_error *error)
{
	bool is_end_of_many = batch->is_end_of_many;

	for (size_t i = 0; i < batch->count; i++) {
		unsigned root = batch->tasks[i].found.directory->root;
		writer->runs[root].errors = errors_of(writer, root);
	}
	if (pending_add(&writer->pending, batch, writer->runs, error) != 0)
		return -1;
	if (!is_end_of_many || atomic_load(writer->stop))
		return 0;
	return commit(writer, error) != 0 ? -1 : store_end_load(writer->store, error);
}

/* Get the next batch. If rows wait to be written and no batch comes soon, returns NULL. */
static struct batch *next_batch(struct writer *writer, int64_t deadline_ns, bool *timed_out)
{
	int64_t look_ns = clock_monotonic_ns() + LOOK_NS;

	if (writer->pending.counts.batches == 0)
		return queue_pop(&writer->queue);
	return queue_pop_until(&writer->queue, look_ns < deadline_ns ? look_ns : deadline_ns,
			       timed_out);
}

/*
 * Must the pending rows be written now? After a request to stop they must, because a scanner may
 * wait for a file forever.
 */
static bool is_due(const struct writer *writer, size_t full, int64_t deadline_ns, bool timed_out)
{
	return writer->pending.counts.batches > 0 &&
	       (is_full(writer, full) || clock_monotonic_ns() >= deadline_ns ||
		(timed_out && atomic_load(writer->stop)));
}

int writer_write(struct writer *writer, struct simhash_error *error)
{
	size_t full = full_transaction(writer);
	int64_t deadline_ns = 0;
	int status = 0;

	for (;;) {
		bool timed_out = false;
		struct batch *batch = next_batch(writer, deadline_ns, &timed_out);
		if (batch == NULL && !timed_out)
			break;
		if (batch != NULL && status != 0) {
			batch_free(batch);
			continue;
		}
		if (writer->pending.counts.batches == 0)
			deadline_ns = clock_monotonic_ns() + COMMIT_AFTER_S * NS_PER_S;
		if (batch != NULL)
			status = take_next(writer, batch, error);
		/* Rows are written at the deadline even if more batches keep coming. */
		if (status == 0 && is_due(writer, full, deadline_ns, timed_out))
			status = commit(writer, error);
		if (status != 0) {
			atomic_store(writer->stop, true);
			pending_drop(&writer->pending);
		}
	}
	return status == 0 ? commit(writer, error) : -1;
}

/* ---- Runs ---- */

int writer_begin_runs(struct writer *writer, struct simhash_error *error)
{
	bool has_rows;

	if (store_has_rows(writer->store, &writer->scope, &has_rows, error) != 0)
		return -1;
	writer->has_no_rows = !has_rows;
	for (unsigned i = 0; i < writer->roots->count; i++) {
		struct scan_run *run = &writer->runs[i];
		if (writer->roots->items[i].is_skipped)
			continue;
		run->root = bytes_of(writer->roots->items[i].path);
		run->started_at_ns = clock_wall_ns();
		if (store_run_start(writer->store, &writer->scope, run, error) != 0)
			return -1;
	}
	return 0;
}

int writer_end_runs(struct writer *writer, bool is_cut_off, struct simhash_error *error)
{
	for (unsigned i = 0; i < writer->roots->count; i++) {
		struct scan_run *run = &writer->runs[i];
		if (writer->roots->items[i].is_skipped)
			continue;
		run->errors = errors_of(writer, i);
		run->finished_at_ns = is_cut_off ? 0 : clock_wall_ns();
		if (store_run_finish(writer->store, run, error) != 0)
			return -1;
	}
	return 0;
}
