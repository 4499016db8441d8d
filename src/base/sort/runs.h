/*
 * Sorts records of bytes, no matter how many: when memory is full, the records are written to a
 * temporary file as a sorted run, and a cursor merges the runs. Records are sorted by a number
 * first, then by a comparison. Collecting:
 *
 *     runs = (struct runs){.budget = 64 << 20, .size_of = size_of, .compare = compare};
 *     record = runs_room(&runs, size, &error);        // for each record: write it there
 *     runs_add(&runs, key, size);
 *     runs_end(&runs, &error);                        // the last run stays in memory
 *     runs_spill(&runs, &error);                      // or all runs go to the file
 *
 * A caller that sorts records itself adds runs instead: runs_put() for each record, then
 * runs_end_put(). Reading, by any number of cursors and threads, and as often as needed:
 *
 *     run_cursor_open(&cursor, &runs, buffer_bytes, &error);
 *     run_cursor_start(&cursor, step, comes_before, context, &error);
 *     while ((status = run_cursor_next(&cursor, step, comes_before, context, &error)) == 1)
 *             ... run_cursor_first(&cursor)->record ...
 *     run_cursor_close(&cursor);
 *     runs_release(&runs);
 *
 * If the call names `step` and `comes_before`, the compiler can inline them. A run in the file
 * takes a buffer of at least 4 KiB, so all runs are merged at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_RUNS_H
#define SIMHASH_BASE_RUNS_H

#include "base/data/heap.h"
#include "base/files/temporary.h"
#include "base/sort/sort.h"

#define RUN_AHEAD 8 /* the sorted records are scattered in memory, so the cache loads them early */

/* Returns the size of a record, which its first bytes contain. */
typedef size_t run_size_fn(const void *head);

/* Compares two records: returns < 0, 0 or > 0. */
typedef int run_compare_fn(const void *x, const void *y, const void *context);

/*
 * Called for each written record of a run: `number` is its number in the run, `end` its end in the
 * file.
 */
typedef int run_note_fn(void *context, const void *record, size_t number, off_t end,
			struct simhash_error *error);

struct runs {
	/* Set before the first record. */
	size_t budget; /* bytes of memory for records and their order */
	run_size_fn *size_of;
	run_compare_fn *compare;
	run_note_fn *note; /* or NULL */
	void *context;	   /* for `compare` and `note` */
	/* In memory: contiguous records, and the key and place of each. */
	char *bytes;
	size_t used, capacity;
	struct sort_item *items;
	size_t count, item_capacity;
	/* In the file: the end of each run, and the last bytes, which are written together. */
	FILE *file;
	off_t *ends, end;
	size_t spilled, end_capacity;
	char *piece;
	size_t filled;
};

/* Return room for a record after the others, or NULL. If memory is full, a run is written first. */
void *runs_room(struct runs *runs, size_t size, struct simhash_error *error);

/* Add the record in this room. If all sizes are multiples of 8, all records are aligned. */
void runs_add(struct runs *runs, uint64_t key, size_t size);

/* Sort the records in memory. No more records may be added. */
int runs_end(struct runs *runs, struct simhash_error *error);

/* After runs_end: write the records in memory as the last run, and free their memory. */
int runs_spill(struct runs *runs, struct simhash_error *error);

/* Append a record to the current run of the file, or end this run. One thread at a time. */
int runs_put(struct runs *runs, const void *record, size_t size, struct simhash_error *error);
int runs_end_put(struct runs *runs, struct simhash_error *error);

void runs_release(struct runs *runs);

/* Return a record in memory. */
static inline void *runs_record(const struct runs *runs, const struct sort_item *item)
{
	return runs->bytes + item->number;
}

/* Return the number of runs in the file and in memory. */
static inline size_t runs_count(const struct runs *runs)
{
	return runs->spilled + (runs->count > 0);
}

/* Reads one run. */
struct run_reader {
	const void *record; /* the current record; NULL after the last */
	const struct runs *runs;
	/* for a run in memory: no buffer, and positions are item numbers */
	struct temporary_window window;
};

/* Open a whole run. The first step goes to its first record. */
int run_reader_open(struct run_reader *reader, const struct runs *runs, size_t number,
		    size_t buffer_bytes, struct simhash_error *error);

/*
 * Go to the next record, which lives until the next step. Its first `head` bytes contain its size.
 */
static inline int run_reader_step(struct run_reader *reader, size_t head, run_size_fn *size_of,
				  struct simhash_error *error)
{
	struct temporary_window *window = &reader->window;
	const struct runs *runs = reader->runs;

	reader->record = NULL;
	if (temporary_is_at_end(window))
		return 0;
	if (window->buffer == NULL) {
		const struct sort_item *item = &runs->items[window->next++];
		if (window->next + RUN_AHEAD < window->end)
			__builtin_prefetch(runs_record(runs, item + RUN_AHEAD));
		reader->record = runs_record(runs, item);
		return 0;
	}
	reader->record = temporary_peek(window, head, error);
	if (reader->record != NULL)
		reader->record = temporary_peek(window, size_of(reader->record), error);
	if (reader->record == NULL)
		return -1;
	window->at += size_of(reader->record);
	return 0;
}

/* Merges runs. */
struct run_cursor {
	void *readers;
	size_t reader_size, reader_count;
	struct heap heap; /* of the readers that have a record */
	bool has_begun;
};

/* Goes to the next record of a reader; the record becomes NULL after the last. */
typedef int run_step_fn(struct run_reader *reader, struct simhash_error *error);

/* Return the buffer size of each of `count` readers if all together have `bytes`. */
size_t run_buffer_bytes(size_t bytes, size_t count);

/*
 * Open a cursor over all runs; or prepare one, and let the caller open the readers. Each reader is
 * a struct of `reader_size` bytes that begins with a struct run_reader. Close the cursor even after
 * an error.
 */
int run_cursor_open(struct run_cursor *cursor, const struct runs *runs, size_t bytes,
		    struct simhash_error *error);
int run_cursor_init(struct run_cursor *cursor, size_t count, size_t reader_size,
		    struct simhash_error *error);

static inline struct run_reader *run_cursor_reader(const struct run_cursor *cursor, size_t number)
{
	return (struct run_reader *)(void *)((char *)cursor->readers +
					     number * cursor->reader_size);
}

static inline int run_cursor_start(struct run_cursor *cursor, run_step_fn *step,
				   heap_before_fn *comes_before, const void *context,
				   struct simhash_error *error)
{
	for (size_t i = 0; i < cursor->reader_count; i++) {
		struct run_reader *reader = run_cursor_reader(cursor, i);
		if (step(reader, error) != 0)
			return -1;
		if (reader->record != NULL)
			cursor->heap.items[cursor->heap.count++] = reader;
	}
	heap_make(&cursor->heap, comes_before, context);
	return 0;
}

/* Go to the next record of all runs: 1, 0 after the last, or -1. It lives until the next call. */
static inline int run_cursor_next(struct run_cursor *cursor, run_step_fn *step,
				  heap_before_fn *comes_before, const void *context,
				  struct simhash_error *error)
{
	struct heap *heap = &cursor->heap;

	if (cursor->has_begun && heap->count > 0) {
		struct run_reader *given = heap->items[0];
		if (step(given, error) != 0)
			return -1;
		if (given->record != NULL)
			heap_settle_first(heap, comes_before, context);
		else
			heap_remove_first(heap, comes_before, context);
	}
	cursor->has_begun = true;
	return heap->count > 0;
}

/* Return the reader of the current record. */
static inline const struct run_reader *run_cursor_first(const struct run_cursor *cursor)
{
	return cursor->heap.items[0];
}

/* A cursor of zeros is allowed. */
void run_cursor_close(struct run_cursor *cursor);

#endif
