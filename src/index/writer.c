/*
 * Collecting batches to transactions. A transaction is committed when it is large enough for the
 * engine, or after some seconds: those are what a killed run can lose.
 * SPDX-License-Identifier: MIT
 */
#include "index/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "store/load.h"

#define COMMIT_AFTER_S 2
/* Batches that may wait while a transaction is written: as many rows as the next one has. */
#define WAITING_MAX QUEUE_CAPACITY_MAX

int writer_init(struct writer *writer, struct store *store, const struct row_scope *scope,
		const struct roots *roots, unsigned producers, atomic_bool *stop,
		struct simhash_error *error)
{
	*writer = (struct writer){.store = store, .scope = *scope, .roots = roots, .stop = stop};
	writer->runs = calloc(roots->count, sizeof *writer->runs);
	if (writer->runs == NULL)
		return error_set_memory(error);
	queue_init(&writer->queue, producers, WAITING_MAX);
	return 0;
}

void writer_release(struct writer *writer)
{
	free(writer->batches);
	free(writer->rows);
	free(writer->directories);
	free(writer->removed);
	free(writer->left);
	free(writer->relinked);
	free(writer->runs);
	queue_release(&writer->queue);
}

/* ---- Transactions ---- */

/* Make room for all that a batch brings. */
static int reserve(struct writer *writer, const struct batch *batch, struct simhash_error *error)
{
	if (array_reserve(&writer->rows, &writer->capacities.rows,
			  writer->counts.rows + batch->count, sizeof *writer->rows, error) != 0 ||
	    array_reserve(&writer->directories, &writer->capacities.directories,
			  writer->counts.directories + batch->count, sizeof *writer->directories,
			  error) != 0 ||
	    array_reserve(&writer->removed, &writer->capacities.removed,
			  writer->counts.removed + batch->removed_count, sizeof *writer->removed,
			  error) != 0 ||
	    array_reserve(&writer->left, &writer->capacities.left,
			  writer->counts.left + batch->count, sizeof *writer->left, error) != 0 ||
	    array_reserve(&writer->relinked, &writer->capacities.relinked,
			  writer->counts.relinked + batch->relinked_count, sizeof *writer->relinked,
			  error) != 0)
		return -1;
	return 0;
}

static void take_task(struct writer *writer, const struct task *task)
{
	struct directory *directory = task->directory;
	struct directory_row *row;

	if (!task->is_scanned)
		return;
	writer->rows[writer->counts.rows++] = &task->row;
	if (task->leaves)
		memcpy(writer->left[writer->counts.left++], task->left_hash, PATH_HASH_SIZE);
	if (directory->is_recorded)
		return;
	row = &writer->directories[writer->counts.directories++];
	row->path = task->row.directory;
	memcpy(row->hash, directory->hash, sizeof row->hash);
	directory->is_recorded = true;
}

/* Take a batch over into the next transaction. */
static int take_batch(struct writer *writer, struct batch *batch, struct simhash_error *error)
{
	if (array_reserve(&writer->batches, &writer->capacities.batches, writer->counts.batches + 1,
			  sizeof(struct batch *), error) != 0) {
		batch_free(batch);
		return -1;
	}
	writer->batches[writer->counts.batches++] = batch;
	if (reserve(writer, batch, error) != 0)
		return -1;
	for (size_t i = 0; i < batch->removed_count; i++)
		memcpy(writer->removed[writer->counts.removed++], batch->removed[i],
		       PATH_HASH_SIZE);
	for (size_t i = 0; i < batch->relinked_count; i++)
		writer->relinked[writer->counts.relinked++] = batch->relinked[i];
	for (size_t i = 0; i < batch->count; i++)
		take_task(writer, &batch->tasks[i]);
	return 0;
}

/* Count what a transaction has stored. */
static void count_batch(struct writer *writer, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct task *task = &batch->tasks[i];
		struct scan_run *run = &writer->runs[task->directory->root];
		if (!task->is_scanned)
			continue;
		writer->moved += task->is_moved;
		if (task->is_moved)
			continue;
		run->files++;
		writer->scanned++;
		writer->sketched_again += task->is_unchanged;
		if (task->is_copied)
			continue;
		run->bytes += task->row.size_bytes;
		writer->bytes += (uint64_t)task->row.size_bytes;
	}
}

static void drop_batches(struct writer *writer)
{
	for (size_t i = 0; i < writer->counts.batches; i++)
		batch_free(writer->batches[i]);
	memset(&writer->counts, 0, sizeof writer->counts);
}

static int commit(struct writer *writer, struct simhash_error *error)
{
	const uint8_t(*removed_files)[PATH_HASH_SIZE] = (void *)writer->removed;
	const uint8_t(*left_files)[PATH_HASH_SIZE] = (void *)writer->left;
	struct store_batch batch = {
		.removed_files = removed_files,
		.removed_file_count = writer->counts.removed,
		.left_files = left_files,
		.left_file_count = writer->counts.left,
		.relinked = writer->relinked,
		.relinked_count = writer->counts.relinked,
		.directories = writer->directories,
		.directory_count = writer->counts.directories,
		.rows = writer->rows,
		.row_count = writer->counts.rows,
	};
	int64_t removed = 0;
	int status = 0;

	if (batch.row_count > 0 || batch.removed_file_count > 0 || batch.relinked_count > 0)
		status = store_write(writer->store, &writer->scope, &batch, &removed, error);
	if (status == 0) {
		for (size_t i = 0; i < writer->counts.batches; i++)
			count_batch(writer, writer->batches[i]);
		writer->rows_removed += (uint64_t)removed;
	}
	drop_batches(writer);
	return status;
}

static bool is_full(const struct writer *writer, size_t full)
{
	return writer->counts.rows >= full || writer->counts.removed >= full ||
	       writer->counts.relinked >= full;
}

/* Take a batch over; after the last one of many rows, build the indexes, as at the end of a load. */
static int take_next(struct writer *writer, struct batch *batch, struct simhash_error *error)
{
	bool is_end_of_many = batch->is_end_of_many;

	if (take_batch(writer, batch, error) != 0)
		return -1;
	if (!is_end_of_many || atomic_load(writer->stop))
		return 0;
	return commit(writer, error) != 0 ? -1 : store_end_load(writer->store, error);
}

int writer_write(struct writer *writer, struct simhash_error *error)
{
	size_t full = store_batch_rows(writer->store);
	int64_t deadline_ns = 0;
	int status = 0;

	for (;;) {
		bool timed_out = false;
		struct batch *batch =
			writer->counts.batches == 0
				? queue_pop(&writer->queue)
				: queue_pop_until(&writer->queue, deadline_ns, &timed_out);
		if (batch == NULL && !timed_out)
			break;
		if (batch != NULL && status != 0) {
			batch_free(batch);
			continue;
		}
		if (writer->counts.batches == 0)
			deadline_ns = clock_monotonic_ns() + COMMIT_AFTER_S * NS_PER_S;
		if (batch != NULL)
			status = take_next(writer, batch, error);
		/* Also when batches keep coming, what is held back grows no older than the deadline. */
		if (status == 0 && writer->counts.batches > 0 &&
		    (is_full(writer, full) || clock_monotonic_ns() >= deadline_ns))
			status = commit(writer, error);
		if (status != 0) {
			atomic_store(writer->stop, true);
			drop_batches(writer);
		}
	}
	return status == 0 ? commit(writer, error) : -1;
}

/* ---- Runs ---- */

int writer_begin_runs(struct writer *writer, struct simhash_error *error)
{
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

int writer_end_runs(struct writer *writer, const struct failures *failures,
		    struct simhash_error *error)
{
	for (unsigned i = 0; i < writer->roots->count; i++) {
		struct scan_run *run = &writer->runs[i];
		if (writer->roots->items[i].is_skipped)
			continue;
		run->errors = (int64_t)atomic_load(&failures->counts[i]);
		run->finished_at_ns = clock_wall_ns();
		if (store_run_finish(writer->store, run, error) != 0)
			return -1;
	}
	return 0;
}
