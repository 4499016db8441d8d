/*
 * Finds all pairs (paper, 4.2) in rounds over the rows in key order. Threads take blocks of
 * consecutive rows in each round. Then all threads search these blocks together, so that the rows
 * before the blocks are read only once. A pair belongs to the part of the key space, and to the
 * block, that contains the later of its two rows. So each pair is found once, no matter how the key
 * space is divided.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"
#include "find/pairs/archives.h"
#include "find/pairs/join.h"
#include "find/pairs/part_join.h"
#include "find/pairs/sketch_join.h"
#include "find/rule/texts.h"
#include "store/rows/row_reader.h"
#include "store/rows/totals.h"

/*
 * Sorting requires all rows to be read. This is faster for a part that has at least a sixth of the
 * rows; smaller parts are read by the index, unless sketches can propose rows far away. See
 * docs/lab/decisions.md, "The rows are sorted here".
 */
#define PARTS_SORTED 6

/*
 * The minimum number of rows in a block. With fewer rows, estimates of the rows in a range are
 * worse.
 */
#define BLOCK_ROWS_MIN 4096
/* If few rows precede a round: small indexes are faster with small blocks. */
#define BLOCK_ROWS_FEW 8192
#define BEFORE_SHARE 2 /* a round has this many times the rows before it, if they fit into memory */
#define COPIES_MOST 2  /* the most rows of a range that are expected for each row of a block */
/* Shares of work that a thread takes at once: rows before the blocks, rows of a block, keys. */
#define ROWS_AT_ONCE 4096
#define BEFORE_MEMORY_SHARE 8 /* the rows before a round take this share of the memory */
#define KEYS_AT_ONCE 4
#define TASKS_BEFORE 4 /* for each thread */

/* A range of the key space that one thread reads, and the block of it that is searched. */
struct sweep_slot {
	struct row_stream part;
	int64_t low;   /* the first key of the range */
	bool has_more; /* the range has rows after the block: more than expected */
	bool is_in_round;
	struct block *block;
};

enum task_kind { TASK_LOAD, TASK_SUM, TASK_PLACE, TASK_FILL, TASK_BEFORE, TASK_WITHIN, TASK_KEYS };

/* A share of the work of a round. */
struct sweep_task {
	enum task_kind kind;
	/* A range of slots, of rows of the round, or of keys of their sketches. */
	size_t begin, end;
	int64_t low, high; /* the keys of rows before the round */
};

struct sweep {
	const struct finder *finder;
	struct row_stream rows;
	struct first_error first_error;
	struct sweep_slot *slots;
	unsigned slot_count, thread_count;
	/* For taking ranges: where the rows can be divided, and which ranges are left. */
	pthread_mutex_t lock;
	int64_t *marks;
	size_t mark_count, next_mark;
	int64_t next_low;
	bool all_taken;
	/* In the blocks of the round; copies count as one kept row. */
	uint64_t rows_read, rows_kept;
	double copies; /* rows read for each kept row in the round before */
	/* The round: its blocks sorted by their keys. */
	const struct block **blocks;
	size_t block_count;
	struct join join;
	struct sweep_task *tasks;
	size_t task_count, task_capacity;
	atomic_size_t next_task;
};

struct worker {
	struct sweep *sweep;
	struct row_stream before; /* a range of the rows before a round */
	struct join_search search;
};

/* ---- Taking blocks ---- */

/* The number of rows of all blocks that fit into memory. */
static size_t rows_in_memory(const struct sweep *sweep)
{
	return finder_memory(sweep->finder) / 2 / JOIN_ROW_BYTES;
}

/*
 * The number of rows for a block. Each round reads the rows before it, so few rounds are better;
 * but a large index of keys does not stay in the cache.
 */
static size_t choose_block_rows(const struct sweep *sweep, size_t rows_before)
{
	size_t most = rows_in_memory(sweep) / sweep->slot_count;
	size_t rows = rows_before / sweep->slot_count * BEFORE_SHARE;

	if (sweep->finder->resources->block_rows != 0)
		return sweep->finder->resources->block_rows;
	if (rows < BLOCK_ROWS_FEW)
		rows = BLOCK_ROWS_FEW;
	return most < rows ? most : rows;
}

/* The number of marks for one block: the rows between them probably fit into it. */
static size_t marks_for_block(const struct sweep *sweep)
{
	double rows = (double)sweep->rows.block_rows / 8 * 7 * sweep->copies;

	return rows < ZONE_ROWS ? 1 : (size_t)rows / ZONE_ROWS;
}

/*
 * The limit for the rows of a range is one and a half blocks, because the rows after a block delay
 * the following blocks.
 */
static size_t most_block_rows(const struct sweep *sweep)
{
	return sweep->rows.block_rows + sweep->rows.block_rows / 2;
}

/* The next range of the key space whose rows probably fit into a block. */
static bool take_range(struct sweep *sweep, struct row_range *range)
{
	pthread_mutex_lock(&sweep->lock);
	if (sweep->all_taken) {
		pthread_mutex_unlock(&sweep->lock);
		return false;
	}
	*range = (struct row_range){sweep->next_low, sweep->rows.range.high, INT64_MIN};
	sweep->next_mark += marks_for_block(sweep);
	while (sweep->next_mark < sweep->mark_count && sweep->marks[sweep->next_mark] <= range->low)
		sweep->next_mark++;
	if (sweep->next_mark < sweep->mark_count) {
		sweep->next_low = sweep->marks[sweep->next_mark];
		range->high = sweep->next_low - 1;
	} else {
		sweep->all_taken = true;
	}
	pthread_mutex_unlock(&sweep->lock);
	return true;
}

static void free_block(struct sweep *sweep, struct sweep_slot *slot)
{
	struct find_progress *progress = sweep->finder->resources->progress;

	if (progress != NULL)
		atomic_fetch_add(&progress->rows, (long long)slot->block->rows_read);
	row_stream_take_back(&slot->part, slot->block);
	slot->block = NULL;
}

static int report_block(struct worker *worker, const struct block *block,
			struct simhash_error *error)
{
	struct sweep *sweep = worker->sweep;
	struct pair_reporter *reporter = &worker->search.reporter;

	pthread_mutex_lock(&sweep->lock);
	sweep->rows_read += block->rows_read;
	sweep->rows_kept += block->count - block->first_new;
	pthread_mutex_unlock(&sweep->lock);
	reporter->counts.rows += block->rows_read;
	reporter->counts.unsketched += block->unsketched;
	for (size_t i = 0; i < block->count; i++)
		if (block->rows[i].copies != NULL &&
		    report_copies(reporter, &block->rows[i], error) != 0)
			return -1;
	return 0;
}

/*
 * The next block of the slot's range, or of a new range. Returns 1, 0 if there are no more, or -1
 * for an error.
 */
static int next_block(struct sweep *sweep, struct sweep_slot *slot, struct simhash_error *error)
{
	if (!slot->has_more) {
		struct row_range range;
		if (!take_range(sweep, &range))
			return 0;
		row_stream_init_part(&slot->part, &sweep->rows, &range);
		slot->part.block_rows = most_block_rows(sweep);
		slot->low = range.low;
	}
	if (row_stream_next(&slot->part, &slot->block, error) != 1)
		return -1;
	slot->has_more = !slot->part.has_ended;
	if (!slot->has_more)
		row_stream_end(&slot->part);
	return 1;
}

/* Get the next block with rows for a slot, if it has none. */
static int fill_slot(struct worker *worker, struct sweep_slot *slot, struct simhash_error *error)
{
	struct sweep *sweep = worker->sweep;

	while (slot->block == NULL) {
		int status = next_block(sweep, slot, error);
		if (status != 1)
			return status;
		if (report_block(worker, slot->block, error) != 0)
			return -1;
		if (slot->block->count == 0)
			free_block(sweep, slot);
	}
	return 0;
}

/* ---- The tasks of a round ---- */

/*
 * Choose blocks in the order of their keys until a row would be missing between two of them. If the
 * range of a block has more rows, the blocks after it wait for these rows.
 */
static void choose_blocks(struct sweep *sweep)
{
	bool is_last = false;

	sweep->block_count = 0;
	while (!is_last) {
		struct sweep_slot *first = NULL;
		for (unsigned i = 0; i < sweep->slot_count; i++) {
			struct sweep_slot *slot = &sweep->slots[i];
			if (slot->block != NULL && !slot->is_in_round &&
			    (first == NULL || slot->low < first->low))
				first = slot;
		}
		if (first == NULL)
			return;
		first->is_in_round = true;
		sweep->blocks[sweep->block_count++] = first->block;
		is_last = first->has_more;
	}
}

static int add_task(struct sweep *sweep, const struct sweep_task *task, struct simhash_error *error)
{
	if (array_reserve(&sweep->tasks, &sweep->task_capacity, sweep->task_count + 1,
			  sizeof *sweep->tasks, error) != 0)
		return -1;
	sweep->tasks[sweep->task_count++] = *task;
	return 0;
}

/* The rows before the round with keys up to `high` that can be a pair with its rows. */
static struct row_range range_before(const struct sweep *sweep, int64_t low, int64_t high)
{
	return (struct row_range){low, high, sweep->join.files[0]->uniform};
}

/* Add tasks for the rows before the round that can be a pair with a row of the round. */
static int add_tasks_before(struct sweep *sweep, struct simhash_error *error)
{
	const struct row_range range =
		range_before(sweep, INT64_MIN, sweep->join.files[0]->uniform - 1);
	struct sweep_task task = {.kind = TASK_BEFORE, .low = INT64_MIN};
	int64_t *marks;
	size_t count, step;
	int status = 0;

	if (sorted_rows_marks(sweep->rows.rows, &range, &marks, &count, error) != 0)
		return -1;
	sweep->rows.block_rows = choose_block_rows(sweep, count * ZONE_ROWS);
	/*
	 * Each task opens all runs again. So there are just enough tasks that no thread waits long
	 * for another.
	 */
	step = count / sweep->thread_count / TASKS_BEFORE + 1;
	if (step < ROWS_AT_ONCE / ZONE_ROWS)
		step = ROWS_AT_ONCE / ZONE_ROWS;
	for (size_t i = step; status == 0 && i < count; i += step) {
		if (marks[i] <= task.low)
			continue;
		task.high = marks[i] - 1;
		status = add_task(sweep, &task, error);
		task.low = marks[i];
	}
	free(marks);
	task.high = range.high;
	return status == 0 && count > 0 ? add_task(sweep, &task, error) : status;
}

/* Divide `count` rows or keys into tasks of `step`. */
static int add_tasks(struct sweep *sweep, enum task_kind kind, size_t count, size_t step,
		     struct simhash_error *error)
{
	for (size_t begin = 0; begin < count; begin += step) {
		struct sweep_task task = {.kind = kind,
					  .begin = begin,
					  .end = begin + step < count ? begin + step : count};
		if (add_task(sweep, &task, error) != 0)
			return -1;
	}
	return 0;
}

/*
 * The number of rows before the round that a thread has in memory, at the same time as the blocks.
 */
static size_t choose_before_rows(const struct sweep *sweep)
{
	size_t most = finder_memory(sweep->finder) / BEFORE_MEMORY_SHARE / JOIN_ROW_BYTES /
		      sweep->thread_count;

	if (most < ZONE_ROWS)
		most = ZONE_ROWS;
	if (most > ROWS_AT_ONCE)
		most = ROWS_AT_ONCE;
	return most < sweep->rows.block_rows ? most : sweep->rows.block_rows;
}

static int search_before(struct worker *worker, const struct sweep_task *task,
			 struct simhash_error *error)
{
	struct sweep *sweep = worker->sweep;
	const struct row_range range = range_before(sweep, task->low, task->high);
	struct row_stream *part = &worker->before;
	struct block *before;
	int status;

	row_stream_init_part(part, &sweep->rows, &range);
	part->keeps_blocks = true;
	part->block_rows = choose_before_rows(sweep);
	while ((status = row_stream_next(part, &before, error)) == 1) {
		size_t first = before->first_new;
		status = join_before(&sweep->join, before->rows + first, before->count - first,
				     &worker->search, error);
		if (status != 0)
			break;
	}
	row_stream_end(part);
	return status;
}

static int do_task(struct worker *worker, const struct sweep_task *task,
		   struct simhash_error *error)
{
	struct join *join = &worker->sweep->join;

	switch (task->kind) {
	case TASK_LOAD:
		return fill_slot(worker, &worker->sweep->slots[task->begin], error);
	case TASK_SUM:
		join_sum(join, task->begin, task->end);
		return 0;
	case TASK_PLACE:
		join_place(join, task->begin, task->end);
		return 0;
	case TASK_FILL:
		key_index_fill(&join->keys, (unsigned)task->begin);
		return 0;
	case TASK_BEFORE:
		return search_before(worker, task, error);
	case TASK_WITHIN:
		return join_within(join, task->begin, task->end, &worker->search, error);
	case TASK_KEYS:
		return join_within_keys(join, (unsigned)task->begin, (unsigned)task->end,
					&worker->search, error);
	}
	return 0;
}

static void *do_tasks(void *argument)
{
	struct worker *worker = argument;
	struct sweep *sweep = worker->sweep;
	struct simhash_error error;
	size_t number;

	while ((number = atomic_fetch_add(&sweep->next_task, 1)) < sweep->task_count &&
	       !first_error_is_set(&sweep->first_error))
		if (do_task(worker, &sweep->tasks[number], &error) != 0)
			first_error_set(&sweep->first_error, &error);
	return NULL;
}

/* Do the tasks in all threads. */
static int run_tasks(struct sweep *sweep, struct worker *workers)
{
	size_t count = sweep->task_count;

	atomic_store(&sweep->next_task, 0);
	threads_run(count < sweep->thread_count ? (unsigned)count : sweep->thread_count, do_tasks,
		    workers, sizeof *workers);
	sweep->task_count = 0;
	return first_error_is_set(&sweep->first_error) ? -1 : 0;
}

/* ---- Rounds ---- */

static void end_round(struct sweep *sweep)
{
	for (unsigned i = 0; i < sweep->slot_count; i++) {
		struct sweep_slot *slot = &sweep->slots[i];
		if (!slot->is_in_round)
			continue;
		free_block(sweep, slot);
		slot->is_in_round = false;
	}
	sweep->copies = COPIES_MOST;
	if (sweep->rows_read < sweep->rows_kept * COPIES_MOST)
		sweep->copies = (double)sweep->rows_read / (double)sweep->rows_kept;
	sweep->rows_read = sweep->rows_kept = 0;
}

/* Prepare the blocks together, and then search them. */
static int run_round(struct sweep *sweep, struct worker *workers, struct simhash_error *error)
{
	struct join *join = &sweep->join;

	if (join_begin(join, sweep->blocks, sweep->block_count, sweep->finder->request,
		       sorted_rows_are_sketched(sweep->rows.rows), error) != 0 ||
	    add_tasks(sweep, TASK_SUM, join->count, ROWS_AT_ONCE, error) != 0 ||
	    run_tasks(sweep, workers) != 0 || join_sort(join, error) != 0 ||
	    add_tasks(sweep, TASK_PLACE, join->count, ROWS_AT_ONCE, error) != 0 ||
	    (join->is_keyed && add_tasks(sweep, TASK_FILL, SKETCH_KEYS, 1, error) != 0) ||
	    run_tasks(sweep, workers) != 0 || add_tasks_before(sweep, error) != 0 ||
	    add_tasks(sweep, TASK_WITHIN, join->count, ROWS_AT_ONCE, error) != 0 ||
	    (join->is_keyed && add_tasks(sweep, TASK_KEYS, SKETCH_KEYS, KEYS_AT_ONCE, error) != 0))
		return -1;
	return run_tasks(sweep, workers);
}

static int run_rounds(struct sweep *sweep, struct worker *workers, struct simhash_error *error)
{
	first_error_init(&sweep->first_error, error);
	for (;;) {
		if (add_tasks(sweep, TASK_LOAD, sweep->slot_count, 1, error) != 0 ||
		    run_tasks(sweep, workers) != 0)
			return -1;
		choose_blocks(sweep);
		if (sweep->block_count == 0)
			return 0;
		if (run_round(sweep, workers, error) != 0)
			return -1;
		end_round(sweep);
	}
}

static int run_sweep(struct sweep *sweep, struct find_counts *counts, struct simhash_error *error)
{
	unsigned count = sweep->thread_count;
	struct worker *workers = calloc(count, sizeof *workers);
	int status = -1;

	sweep->slots = calloc(sweep->slot_count, sizeof *sweep->slots);
	sweep->blocks = calloc(sweep->slot_count, sizeof(struct block *));
	if (workers == NULL || sweep->slots == NULL || sweep->blocks == NULL) {
		error_set_memory(error);
	} else {
		for (unsigned i = 0; i < count; i++)
			workers[i] = (struct worker){
				.sweep = sweep,
				.search.reporter = {.finder = sweep->finder, .thread = i}};
		status = run_rounds(sweep, workers, error);
	}
	for (unsigned i = 0; i < count && workers != NULL; i++) {
		find_counts_add(counts, &workers[i].search.reporter.counts);
		join_search_release(&workers[i].search);
		row_stream_release(&workers[i].before);
	}
	for (unsigned i = 0; i < sweep->slot_count && sweep->slots != NULL; i++) {
		row_stream_release(&sweep->slots[i].part);
		block_free(sweep->slots[i].block);
	}
	join_release(&sweep->join);
	free(workers);
	free(sweep->slots);
	free(sweep->blocks);
	free(sweep->tasks);
	return status;
}

/* ---- Dividing the key space ---- */

/* rows * part / parts, without an overflow of 64 bits in between. */
static int64_t part_rank(int64_t rows, unsigned part, unsigned parts)
{
	return rows / parts * part + rows % parts * part / parts;
}

/*
 * The first and the last key of the request's part. The beginning of a part depends only on its
 * number, so parts that were found on several machines fit together.
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
	*high -= *high > INT64_MIN; /* only a damaged index has negative keys */
	return 0;
}

/* Each thread takes a block of a round, unless the blocks would be too small. */
static unsigned choose_slots(const struct sweep *sweep)
{
	size_t most = rows_in_memory(sweep) / BLOCK_ROWS_MIN;

	if (sweep->finder->resources->block_rows != 0 || most > sweep->thread_count)
		return sweep->thread_count;
	return most == 0 ? 1 : (unsigned)most;
}

static int sweep_rows(struct sweep *sweep, struct find_counts *counts, struct simhash_error *error)
{
	struct find_progress *progress = sweep->finder->resources->progress;
	const struct row_range *range = &sweep->rows.range;
	int status;

	if (row_stream_read(&sweep->rows, error) != 0)
		return -1;
	if (sweep->rows.rows == NULL)
		return 0;
	if (progress != NULL)
		atomic_fetch_add(&progress->rows, (long long)sweep->rows.own_rows.passed_over);
	/* Each thread reads rows with its own cursor. */
	sweep->rows.own_rows.cursor_bytes /= sweep->thread_count;
	sweep->slot_count = choose_slots(sweep);
	sweep->rows.block_rows = choose_block_rows(sweep, 0);
	sweep->next_low = range->low;
	if (sorted_rows_marks(sweep->rows.rows, range, &sweep->marks, &sweep->mark_count, error) !=
	    0)
		return -1;
	pthread_mutex_init(&sweep->lock, NULL);
	status = run_sweep(sweep, counts, error);
	pthread_mutex_destroy(&sweep->lock);
	free(sweep->marks);
	return status;
}

static int sweep_all(struct finder *finder, struct simhash_error *error)
{
	struct sweep sweep = {
		.finder = finder, .thread_count = finder->resources->threads, .copies = 1};
	int64_t low, high;
	int status;

	if (find_bounds(finder, &low, &high, error) != 0)
		return -1;
	row_stream_init(&sweep.rows, finder, low, high);
	sweep.rows.looks_up = finder->request->parts > PARTS_SORTED &&
			      finder->request->rule.verify.mode == VERIFY_NO &&
			      texts_count(finder->texts) == 0;
	status = sweep_rows(&sweep, &finder->counts, error);
	row_stream_release(&sweep.rows);
	return status;
}

int finder_all(struct finder *finder, struct simhash_error *error)
{
	if (finder->tag_set == 0)
		return 0;
	if (finder_begin(finder, error) != 0 || archives_need(finder, error) != 0)
		return -1;
	if (finder->request->measure != NULL)
		return sketch_join_all(finder, error);
	return sweep_all(finder, error) != 0 || report_archives(finder, error) != 0
		       ? -1
		       : part_join_report(finder, error);
}
