/*
 * All pairs (paper, 4.2): the key space is cut into parts, each a stream of rows in
 * key order, and every thread takes blocks and searches them; first of a stream of its
 * own, in the end of any that is left. A pair belongs to the part, and in it to the
 * block, of whichever of its rows comes later, so it is found once, however the key
 * space is cut.
 * SPDX-License-Identifier: MIT
 */
#include "find/sweep.h"

#include <stdlib.h>

#include "core/error.h"

#define STREAMS_MAX 64 /* each has a connection */

struct shared_stream {
	pthread_mutex_t lock;
	struct row_stream rows;
};

struct sweep {
	const struct finder *finder;
	block_fn *work;
	void *context;
	struct shared_stream *streams;
	unsigned stream_count;
	atomic_bool has_failed;
	pthread_mutex_t lock; /* of what follows */
	struct simhash_error *error;
	struct find_counts counts;
};

struct worker {
	struct sweep *sweep;
	struct find_reporter reporter;
	struct join_room room;
};

static void fail(struct sweep *sweep, const struct simhash_error *error)
{
	pthread_mutex_lock(&sweep->lock);
	if (!atomic_exchange(&sweep->has_failed, true))
		*sweep->error = *error;
	pthread_mutex_unlock(&sweep->lock);
}

/* Take blocks of one stream until it ends; -1 when anything failed. */
static int drain(struct worker *worker, struct shared_stream *stream)
{
	struct sweep *sweep = worker->sweep;
	const struct find_options *options = sweep->finder->options;
	struct simhash_error error;

	while (!atomic_load(&sweep->has_failed)) {
		struct block *block = NULL;
		int status;
		pthread_mutex_lock(&stream->lock);
		status = row_stream_next(&stream->rows, &block, &error);
		pthread_mutex_unlock(&stream->lock);
		if (status == 1 && sweep->work(sweep->context, &worker->room, block,
					       &worker->reporter, &error) != 0)
			status = -1;
		if (status == 1 && options->progress != NULL)
			atomic_fetch_add(&options->progress->rows, (long long)block->rows_read);
		block_free(block);
		if (status < 0)
			fail(sweep, &error);
		if (status != 1)
			return status;
	}
	return -1;
}

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	struct sweep *sweep = worker->sweep;
	unsigned own = worker->reporter.thread % sweep->stream_count;

	for (unsigned i = 0; i < sweep->stream_count; i++)
		if (drain(worker, &sweep->streams[(own + i) % sweep->stream_count]) != 0)
			break;
	join_room_release(&worker->room);
	pthread_mutex_lock(&sweep->lock);
	sweep->counts.rows += worker->reporter.counts.rows;
	sweep->counts.identical += worker->reporter.counts.identical;
	sweep->counts.similar += worker->reporter.counts.similar;
	pthread_mutex_unlock(&sweep->lock);
	return NULL;
}

static void run_threads(struct sweep *sweep, unsigned count)
{
	struct worker *workers = calloc(count, sizeof *workers);
	pthread_t *threads = calloc(count, sizeof *threads);
	unsigned started = 0;
	struct simhash_error error;

	if (workers == NULL || threads == NULL) {
		error_set_memory(&error);
		fail(sweep, &error);
		count = 0;
	}
	for (unsigned i = 0; i < count; i++)
		workers[i] = (struct worker){.sweep = sweep,
					     .reporter = {.finder = sweep->finder, .thread = i}};
	/* The first runs here; where a thread cannot be had, fewer do the work. */
	for (unsigned i = 1; i < count; i++, started++)
		if (pthread_create(&threads[i], NULL, run_worker, &workers[i]) != 0)
			break;
	if (count > 0)
		run_worker(&workers[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(workers);
}

int sweep_blocks(struct finder *finder, const struct sweep_plan *plan, struct simhash_error *error)
{
	const struct find_options *options = finder->options;
	bool is_cut = plan->order == SIMHASH_UNIFORM && store_reads_parts(finder->store);
	unsigned count = !is_cut			  ? 1
			 : options->threads < STREAMS_MAX ? options->threads
							  : STREAMS_MAX;
	struct sweep sweep = {.finder = finder,
			      .work = plan->work,
			      .context = plan->context,
			      .stream_count = count,
			      .error = error};

	sweep.streams = calloc(count, sizeof *sweep.streams);
	if (sweep.streams == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&sweep.lock, NULL);
	for (unsigned i = 0; i < count; i++) {
		struct row_stream *rows = &sweep.streams[i].rows;
		pthread_mutex_init(&sweep.streams[i].lock, NULL);
		row_stream_init(rows, finder, options->part * count + i, options->parts * count);
		rows->order = plan->order;
		rows->collapse = plan->collapse;
		if (plan->reach != NULL)
			rows->reach = plan->reach;
		/* By one connection and before any row is read: no part may miss its neighbour. */
		rows->store = finder->store;
		if (row_stream_bounds(rows, error) != 0)
			atomic_store(&sweep.has_failed, true);
		if (i > 0)
			rows->store = NULL;
	}
	if (!atomic_load(&sweep.has_failed))
		run_threads(&sweep, options->threads);
	for (unsigned i = 0; i < count; i++) {
		row_stream_release(&sweep.streams[i].rows);
		pthread_mutex_destroy(&sweep.streams[i].lock);
	}
	pthread_mutex_destroy(&sweep.lock);
	free(sweep.streams);
	finder->counts.rows += sweep.counts.rows;
	finder->counts.identical += sweep.counts.identical;
	finder->counts.similar += sweep.counts.similar;
	return atomic_load(&sweep.has_failed) ? -1 : 0;
}

static int join_one(void *context, struct join_room *room, const struct block *block,
		    struct find_reporter *reporter, struct simhash_error *error)
{
	(void)context;
	return join_block(room, block, reporter, error);
}

int finder_all(struct finder *finder, struct simhash_error *error)
{
	static const struct sweep_plan plan = {
		.order = SIMHASH_UNIFORM, .collapse = true, .work = join_one};

	if (finder->tag_set == 0)
		return 0;
	if (finder->options->progress != NULL) {
		int64_t rows;
		if (store_count_rows(finder->store, finder->tag_set, &rows, error) != 0)
			return -1;
		atomic_store(&finder->options->progress->rows_total, rows / finder->options->parts);
	}
	return sweep_blocks(finder, &plan, error);
}
