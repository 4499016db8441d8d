/*
 * All pairs (paper, 4.2): the key space is cut into parts, each a stream of rows in
 * key order, and every thread takes blocks and searches them; first of a stream of its
 * own, in the end of any that is left. A pair belongs to the part, and in it to the
 * block, of whichever of its rows comes later, so it is found once, however the key
 * space is cut.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"
#include "find/join.h"
#include "find/sketch_join.h"
#include "find/versions.h"
#include "store/row_stream.h"
#include "store/totals.h"

#define STREAMS_MAX 64 /* each has a connection */

/*
 * To be sorted, all rows are read by each stream again, so that is worth it where each
 * has a sixth of them or more; smaller parts are read by the index. See docs/design.md,
 * "The database sorts".
 */
#define PARTS_SORTED 6

struct shared_stream {
	pthread_mutex_t lock;
	struct row_stream rows;
};

struct sweep {
	const struct finder *finder;
	struct shared_stream *streams;
	unsigned stream_count;
	struct first_error first_error;
	pthread_mutex_t lock; /* of the counts */
	struct find_counts counts;
};

struct worker {
	struct sweep *sweep;
	struct pair_reporter reporter;
	struct join_room room;
};

/* Take blocks of one stream until it ends; -1 when anything failed. */
static int drain(struct worker *worker, struct shared_stream *stream)
{
	struct sweep *sweep = worker->sweep;
	const struct find_resources *resources = sweep->finder->resources;
	struct simhash_error error;

	while (!first_error_is_set(&sweep->first_error)) {
		struct block *block = NULL;
		int status;
		pthread_mutex_lock(&stream->lock);
		status = row_stream_next(&stream->rows, &block, &error);
		pthread_mutex_unlock(&stream->lock);
		if (status == 1 && join_block(&worker->room, block, &worker->reporter, &error) != 0)
			status = -1;
		if (status == 1 && resources->progress != NULL)
			atomic_fetch_add(&resources->progress->rows,
					 (long long)(block->rows_read + block->passed_over));
		block_free(block);
		if (status < 0)
			first_error_set(&sweep->first_error, &error);
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
	find_counts_add(&sweep->counts, &worker->reporter.counts);
	pthread_mutex_unlock(&sweep->lock);
	return NULL;
}

static int run_workers(struct sweep *sweep, unsigned count, struct simhash_error *error)
{
	struct worker *workers = calloc(count, sizeof *workers);

	if (workers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < count; i++)
		workers[i] = (struct worker){.sweep = sweep,
					     .reporter = {.finder = sweep->finder, .thread = i}};
	first_error_init(&sweep->first_error, error);
	threads_run(count, run_worker, workers, sizeof *workers);
	free(workers);
	return first_error_is_set(&sweep->first_error) ? -1 : 0;
}

/* ---- Cutting the key space ---- */

/* rows * part / parts, which may be more than 64 bits hold on the way. */
static int64_t part_rank(int64_t rows, unsigned part, unsigned parts)
{
	return rows / parts * part + rows % parts * part / parts;
}

/*
 * The first keys of so many streams, and behind them that of what follows. Where a part of
 * the index begins depends on its number alone, so that parts that were found on several
 * machines fit together; the cuts within it may be anywhere.
 */
static int find_bounds(struct finder *finder, unsigned count, int64_t *bounds,
		       struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	int64_t rows, first, last, tag_set = finder->tag_set;

	bounds[0] = INT64_MIN;
	bounds[count] = INT64_MAX;
	if (count == 1 && request->parts == 1)
		return 0;
	if (store_count_rows(finder->store, tag_set, &rows, error) != 0)
		return -1;
	first = part_rank(rows, request->part, request->parts);
	last = part_rank(rows, request->part + 1, request->parts);
	if ((request->part > 0 &&
	     store_key_at(finder->store, tag_set, INT64_MIN, first, &bounds[0], error) != 0) ||
	    (request->part + 1 < request->parts &&
	     store_key_at(finder->store, tag_set, INT64_MIN, last, &bounds[count], error) != 0))
		return -1;
	for (unsigned i = 1; i < count; i++) {
		if (store_key_at(finder->store, tag_set, bounds[i - 1], (last - first) / count,
				 &bounds[i], error) != 0)
			return -1;
		if (bounds[i] > bounds[count])
			bounds[i] = bounds[count];
	}
	return 0;
}

static int init_streams(struct sweep *sweep, struct finder *finder, struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	unsigned count = sweep->stream_count;
	int64_t *bounds = malloc((count + 1) * sizeof *bounds);
	bool is_last = request->part + 1 == request->parts;

	if (bounds == NULL)
		return error_set_memory(error);
	/* By one connection and before any row is read: no part may miss its neighbour. */
	if (find_bounds(finder, count, bounds, error) != 0) {
		free(bounds);
		return -1;
	}
	for (unsigned i = 0; i < count; i++) {
		/* Keys are not negative, so this is no overflow. */
		int64_t high = i + 1 == count && is_last ? INT64_MAX : bounds[i + 1] - 1;
		row_stream_init(&sweep->streams[i].rows, finder, bounds[i], high,
				(uint64_t)request->parts * count <= PARTS_SORTED ? ORDER_BY_SORTING
										 : ORDER_BY_INDEX);
	}
	sweep->streams[0].rows.store = finder->store;
	free(bounds);
	return 0;
}

static int sweep_all(struct finder *finder, struct simhash_error *error)
{
	const struct find_resources *resources = finder->resources;
	unsigned count = !store_reads_parts(finder->store)  ? 1
			 : resources->threads < STREAMS_MAX ? resources->threads
							    : STREAMS_MAX;
	struct sweep sweep = {.finder = finder, .stream_count = count};
	int status = -1;

	sweep.streams = calloc(count, sizeof *sweep.streams);
	if (sweep.streams == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&sweep.lock, NULL);
	for (unsigned i = 0; i < count; i++)
		pthread_mutex_init(&sweep.streams[i].lock, NULL);
	if (init_streams(&sweep, finder, error) == 0)
		status = run_workers(&sweep, resources->threads, error);
	for (unsigned i = 0; i < count; i++) {
		row_stream_release(&sweep.streams[i].rows);
		pthread_mutex_destroy(&sweep.streams[i].lock);
	}
	pthread_mutex_destroy(&sweep.lock);
	free(sweep.streams);
	find_counts_add(&finder->counts, &sweep.counts);
	return status;
}

int finder_all(struct finder *finder, struct simhash_error *error)
{
	if (finder->tag_set == 0)
		return 0;
	if (finder_begin_progress(finder, error) != 0)
		return -1;
	if (finder->request->measure != NULL)
		return sketch_join_all(finder, error);
	if (sweep_all(finder, error) != 0)
		return -1;
	return finder->request->versions ? versions_find_all(finder, error) : 0;
}
