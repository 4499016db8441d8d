/*
 * Collects records, sorts them, and writes them to a temporary file as runs.
 * SPDX-License-Identifier: MIT
 */
#include "base/sort/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

#define WRITE_BYTES ((size_t)256 << 10)
#define READ_MIN ((size_t)4 << 10) /* bytes of a run in one read */
#define READ_MAX ((size_t)256 << 10)

/* For each record: its place in the order, and a second place while records are sorted. */
#define ITEM_BYTES (2 * sizeof(struct sort_item))

/* ---- Sorting ---- */

static int compare_items(const void *a, const void *b, void *context)
{
	const struct runs *runs = context;

	return runs->compare(runs_record(runs, a), runs_record(runs, b), runs->context);
}

/* Records with equal keys are often in order already. */
static void order_equal_keys(struct runs *runs)
{
	size_t begin = 0;

	for (size_t i = 1; i <= runs->count; i++) {
		if (i < runs->count && runs->items[i].key == runs->items[begin].key)
			continue;
		for (size_t j = begin + 1; j < i; j++)
			if (compare_items(&runs->items[j - 1], &runs->items[j], runs) > 0) {
				sort_with(runs->items + begin, i - begin, sizeof *runs->items,
					  compare_items, runs);
				break;
			}
		begin = i;
	}
}

int runs_end(struct runs *runs, struct simhash_error *error)
{
	struct sort_item *scratch = malloc((runs->count + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_items(runs->items, scratch, runs->count, 64);
	free(scratch);
	order_equal_keys(runs);
	return 0;
}

/* ---- Writing ---- */

static void free_memory(struct runs *runs)
{
	free(runs->bytes);
	free(runs->items);
	free(runs->piece);
	runs->bytes = runs->piece = NULL;
	runs->items = NULL;
	runs->capacity = runs->item_capacity = 0;
}

/*
 * Uses our own buffer: if setvbuf() gets no buffer, glibc ignores the size and writes 4 KiB at a
 * time.
 */
static int open_file(struct runs *runs, struct simhash_error *error)
{
	if (runs->piece == NULL)
		runs->piece = malloc(WRITE_BYTES);
	if (runs->piece == NULL)
		return error_set_memory(error);
	if (runs->file == NULL)
		runs->file = temporary_file();
	return runs->file != NULL ? 0 : temporary_no_room(error);
}

/* Write the buffered bytes at the end of the file. */
static int write_piece(struct runs *runs, struct simhash_error *error)
{
	size_t filled = runs->filled;

	runs->filled = 0;
	return temporary_write_at(runs->file, runs->piece, filled, runs->end - (off_t)filled,
				  error);
}

int runs_put(struct runs *runs, const void *record, size_t size, struct simhash_error *error)
{
	if (runs->piece == NULL && open_file(runs, error) != 0)
		return -1;
	if (size > WRITE_BYTES - runs->filled && write_piece(runs, error) != 0)
		return -1;
	if (size > WRITE_BYTES) {
		if (temporary_write_at(runs->file, record, size, runs->end, error) != 0)
			return -1;
	} else {
		memcpy(runs->piece + runs->filled, record, size);
		runs->filled += size;
	}
	runs->end += (off_t)size;
	return 0;
}

int runs_end_put(struct runs *runs, struct simhash_error *error)
{
	if (write_piece(runs, error) != 0 ||
	    array_reserve(&runs->ends, &runs->end_capacity, runs->spilled + 1, sizeof *runs->ends,
			  error) != 0)
		return -1;
	runs->ends[runs->spilled++] = runs->end;
	return 0;
}

/* Write the sorted records in memory as a run. */
static int write_memory(struct runs *runs, struct simhash_error *error)
{
	for (size_t i = 0; i < runs->count; i++) {
		const void *record = runs_record(runs, &runs->items[i]);
		if (i + RUN_AHEAD < runs->count)
			__builtin_prefetch(runs_record(runs, &runs->items[i + RUN_AHEAD]));
		if (runs_put(runs, record, runs->size_of(record), error) != 0)
			return -1;
		if (runs->note != NULL &&
		    runs->note(runs->context, record, i, runs->end, error) != 0)
			return -1;
	}
	runs->count = runs->used = 0;
	return runs_end_put(runs, error);
}

int runs_spill(struct runs *runs, struct simhash_error *error)
{
	if (runs->count > 0 && write_memory(runs, error) != 0)
		return -1;
	free_memory(runs);
	return 0;
}

void *runs_room(struct runs *runs, size_t size, struct simhash_error *error)
{
	size_t needed = runs->used + size + (runs->count + 1) * ITEM_BYTES;

	if (needed > runs->budget && runs->count > 0 &&
	    (runs_end(runs, error) != 0 || write_memory(runs, error) != 0))
		return NULL;
	if (array_reserve(&runs->bytes, &runs->capacity, runs->used + size, 1, error) != 0 ||
	    array_reserve(&runs->items, &runs->item_capacity, runs->count + 1, sizeof *runs->items,
			  error) != 0)
		return NULL;
	return runs->bytes + runs->used;
}

void runs_add(struct runs *runs, uint64_t key, size_t size)
{
	runs->items[runs->count++] = (struct sort_item){key, runs->used};
	runs->used += size;
}

void runs_release(struct runs *runs)
{
	if (runs->file != NULL)
		fclose(runs->file);
	free_memory(runs);
	free(runs->ends);
	*runs = (struct runs){.budget = 0};
}

/* ---- Reading ---- */

int run_reader_open(struct run_reader *reader, const struct runs *runs, size_t number,
		    size_t buffer_bytes, struct simhash_error *error)
{
	*reader = (struct run_reader){.runs = runs, .window = {.file = runs->file}};
	if (number == runs->spilled) {
		reader->window.end = (off_t)runs->count;
		return 0;
	}
	reader->window.next = number == 0 ? 0 : runs->ends[number - 1];
	reader->window.end = runs->ends[number];
	return array_reserve(&reader->window.buffer, &reader->window.capacity, buffer_bytes, 1,
			     error);
}

size_t run_buffer_bytes(size_t bytes, size_t count)
{
	size_t each = count == 0 ? READ_MAX : bytes / count;

	return each < READ_MIN ? READ_MIN : each > READ_MAX ? READ_MAX : each;
}

int run_cursor_init(struct run_cursor *cursor, size_t count, size_t reader_size,
		    struct simhash_error *error)
{
	*cursor = (struct run_cursor){.readers = calloc(count + 1, reader_size),
				      .reader_size = reader_size,
				      .heap = {.items = calloc(count + 1, sizeof(void *))}};
	if (cursor->readers == NULL || cursor->heap.items == NULL)
		return error_set_memory(error);
	cursor->reader_count = count;
	return 0;
}

int run_cursor_open(struct run_cursor *cursor, const struct runs *runs, size_t bytes,
		    struct simhash_error *error)
{
	size_t count = runs_count(runs);

	if (run_cursor_init(cursor, count, sizeof(struct run_reader), error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (run_reader_open(run_cursor_reader(cursor, i), runs, i,
				    run_buffer_bytes(bytes, count), error) != 0)
			return -1;
	return 0;
}

void run_cursor_close(struct run_cursor *cursor)
{
	for (size_t i = 0; i < cursor->reader_count; i++)
		free(run_cursor_reader(cursor, i)->window.buffer);
	free(cursor->readers);
	free(cursor->heap.items);
	*cursor = (struct run_cursor){.readers = NULL};
}
