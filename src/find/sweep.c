/*
 * All pairs (paper, 4.2): a stream of rows in key order, of which every thread takes blocks and
 * searches them. A pair belongs to the part of the key space, and in it to the block, of whichever
 * of its rows comes later, so it is found once, however the key space is cut.
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

/*
 * To be sorted, all rows are read, so that is worth it for a part of a sixth of them or more; the
 * rows of smaller parts are looked up by the index. See docs/design.md, "The rows are sorted here".
 */
#define PARTS_SORTED 6

struct sweep {
	const struct finder *finder;
	struct row_stream rows;
	pthread_mutex_t rows_lock;
	struct first_error first_error;
	pthread_mutex_t lock; /* of the counts */
	struct find_counts counts;
};

struct worker {
	struct sweep *sweep;
	struct join join;
};

/* The pairs of new rows of a block with rows that came before it. */
static int search_before(struct worker *worker, const struct block *block,
			 struct simhash_error *error)
{
	struct row_stream before;
	struct block *rows;
	int status;

	row_stream_init_before(&before, &worker->sweep->rows, block->rows[0].uniform);
	while ((status = row_stream_next(&before, &rows, error)) == 1) {
		if (join_before(&worker->join, rows, error) != 0)
			status = -1;
		block_free(rows);
		if (status != 1)
			break;
	}
	row_stream_release(&before);
	return status;
}

static int search_block(struct worker *worker, const struct block *block,
			struct simhash_error *error)
{
	if (join_begin(&worker->join, block, error) != 0)
		return -1;
	if (block->count == 0)
		return 0;
	return join_within(&worker->join, error) != 0 ? -1 : search_before(worker, block, error);
}

/* Take blocks until there are no more, or anything has failed. */
static void take_blocks(struct worker *worker)
{
	struct sweep *sweep = worker->sweep;
	const struct find_resources *resources = sweep->finder->resources;
	struct simhash_error error;
	int status = 1;

	while (status == 1 && !first_error_is_set(&sweep->first_error)) {
		struct block *block = NULL;
		pthread_mutex_lock(&sweep->rows_lock);
		status = row_stream_next(&sweep->rows, &block, &error);
		pthread_mutex_unlock(&sweep->rows_lock);
		if (status == 1 && search_block(worker, block, &error) != 0)
			status = -1;
		if (status == 1 && resources->progress != NULL)
			atomic_fetch_add(&resources->progress->rows,
					 (long long)(block->rows_read + block->passed_over));
		block_free(block);
		if (status < 0)
			first_error_set(&sweep->first_error, &error);
	}
}

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	struct sweep *sweep = worker->sweep;

	take_blocks(worker);
	join_release(&worker->join);
	pthread_mutex_lock(&sweep->lock);
	find_counts_add(&sweep->counts, &worker->join.reporter.counts);
	pthread_mutex_unlock(&sweep->lock);
	return NULL;
}

static int run_workers(struct sweep *sweep, unsigned count, struct simhash_error *error)
{
	struct worker *workers = calloc(count, sizeof *workers);

	if (workers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < count; i++)
		workers[i] = (struct worker){
			.sweep = sweep, .join.reporter = {.finder = sweep->finder, .thread = i}};
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
 * The keys of the request's part, both included. Where a part of the index begins depends on its
 * number alone, so that parts that were found on several machines fit together.
 */
static int find_bounds(struct finder *finder, int64_t *low, int64_t *high,
		       struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	int64_t rows, tag_set = finder->tag_set;
	unsigned part = request->part, parts = request->parts;

	*low = INT64_MIN;
	*high = INT64_MAX;
	if (parts == 1)
		return 0;
	if (store_count_rows(finder->store, tag_set, &rows, error) != 0)
		return -1;
	if (part > 0 && store_key_at(finder->store, tag_set, INT64_MIN,
				     part_rank(rows, part, parts), low, error) != 0)
		return -1;
	if (part + 1 == parts)
		return 0;
	if (store_key_at(finder->store, tag_set, INT64_MIN, part_rank(rows, part + 1, parts), high,
			 error) != 0)
		return -1;
	--*high; /* keys are not negative, so this is no overflow */
	return 0;
}

static int sweep_all(struct finder *finder, struct simhash_error *error)
{
	struct sweep sweep = {.finder = finder};
	int64_t low, high;
	int status;

	if (find_bounds(finder, &low, &high, error) != 0)
		return -1;
	row_stream_init(&sweep.rows, finder, low, high);
	sweep.rows.row_bytes = JOIN_ROW_BYTES;
	sweep.rows.looks_up = finder->request->parts > PARTS_SORTED;
	pthread_mutex_init(&sweep.lock, NULL);
	pthread_mutex_init(&sweep.rows_lock, NULL);
	status = run_workers(&sweep, finder->resources->threads, error);
	row_stream_release(&sweep.rows);
	pthread_mutex_destroy(&sweep.rows_lock);
	pthread_mutex_destroy(&sweep.lock);
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
