/*
 * Runs of sorted rows, in memory or in a file.
 * SPDX-License-Identifier: MIT
 */
#include "find/row_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/temporary.h"

#define WRITE_BYTES ((size_t)256 << 10)
#define ROW_AHEAD 8 /* rows in order are scattered over memory: the cache is told of them early */

/* Of each row: its place in the order, and another while that is made. */
#define ITEM_BYTES (2 * sizeof(struct sort_item))

static struct packed_row *row_at(const struct row_runs *runs, const struct sort_item *item)
{
	return (struct packed_row *)(void *)(runs->bytes + item->number);
}

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error)
{
	size_t size = packed_row_size(file);

	if (size > UINT32_MAX)
		return error_set_memory(error);
	if (runs->count > 0 && runs->used + size + (runs->count + 1) * ITEM_BYTES > runs->budget &&
	    row_runs_spill(runs, error) != 0)
		return -1;
	if (array_reserve(&runs->bytes, &runs->capacity, runs->used + size, 1, error) != 0 ||
	    array_reserve(&runs->items, &runs->item_capacity, runs->count + 1, sizeof *runs->items,
			  error) != 0)
		return -1;
	runs->items[runs->count] = (struct sort_item){(uint64_t)file->uniform, runs->used};
	packed_row_write(row_at(runs, &runs->items[runs->count++]), file);
	runs->used += size;
	return 0;
}

/* ---- Sorting ---- */

static int compare_items(const void *a, const void *b, void *context)
{
	const struct row_runs *runs = context;

	return packed_row_compare(row_at(runs, a), row_at(runs, b));
}

/* Rows of a key are mostly in order: they were read by host and path hash. */
static void order_equal_keys(struct row_runs *runs)
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

int row_runs_end(struct row_runs *runs, struct simhash_error *error)
{
	struct sort_item *scratch = malloc((runs->count + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_items(runs->items, scratch, runs->count, 64);
	free(scratch);
	order_equal_keys(runs);
	return 0;
}

/* ---- The file ---- */

static int open_file(struct row_runs *runs, struct simhash_error *error)
{
	if (runs->file != NULL)
		return 0;
	runs->file = temporary_file();
	if (runs->file == NULL)
		return temporary_no_room(error);
	setvbuf(runs->file, NULL, _IOFBF, WRITE_BYTES); /* without it, it is only slower */
	return 0;
}

int row_runs_spill(struct row_runs *runs, struct simhash_error *error)
{
	off_t end = runs->spilled > 0 ? runs->ends[runs->spilled - 1] : 0;

	if (runs->count == 0)
		return 0;
	if (row_runs_end(runs, error) != 0 || open_file(runs, error) != 0 ||
	    array_reserve(&runs->ends, &runs->end_capacity, runs->spilled + 1, sizeof *runs->ends,
			  error) != 0)
		return -1;
	for (size_t i = 0; i < runs->count; i++) {
		const struct packed_row *row = row_at(runs, &runs->items[i]);
		if (i + ROW_AHEAD < runs->count)
			__builtin_prefetch(row_at(runs, &runs->items[i + ROW_AHEAD]));
		if (fwrite(row, 1, row->size, runs->file) != row->size)
			return temporary_no_room(error);
		end += row->size;
	}
	if (fflush(runs->file) != 0)
		return temporary_no_room(error);
	runs->ends[runs->spilled++] = end;
	runs->count = runs->used = 0;
	return 0;
}

void row_runs_free_memory(struct row_runs *runs)
{
	free(runs->bytes);
	free(runs->items);
	runs->bytes = NULL;
	runs->items = NULL;
	runs->capacity = runs->item_capacity = 0;
}

void row_runs_release(struct row_runs *runs)
{
	if (runs->file != NULL)
		fclose(runs->file);
	row_runs_free_memory(runs);
	free(runs->ends);
	*runs = (struct row_runs){.budget = 0};
}

/* ---- Reading ---- */

static int take_from_memory(struct run_reader *reader)
{
	const struct row_runs *runs = reader->runs;

	if (reader->next + ROW_AHEAD < runs->count)
		__builtin_prefetch(row_at(runs, &runs->items[reader->next + ROW_AHEAD]));
	reader->row = reader->next < runs->count ? row_at(runs, &runs->items[reader->next++])
						 : NULL;
	return 0;
}

/* Have at least `needed` bytes of the file in the buffer, which there are. */
static int fill(struct run_reader *reader, size_t needed, struct simhash_error *error)
{
	size_t rest = reader->filled - reader->at;

	if (rest >= needed)
		return 0;
	if (rest > 0)
		memmove(reader->buffer, reader->buffer + reader->at, rest);
	reader->at = 0;
	reader->filled = rest;
	if (array_reserve(&reader->buffer, &reader->capacity, needed, 1, error) != 0)
		return -1;
	while (reader->filled < needed) {
		size_t room = reader->capacity - reader->filled;
		off_t left = reader->end - reader->offset;
		ssize_t count = pread(fileno(reader->runs->file), reader->buffer + reader->filled,
				      left < (off_t)room ? (size_t)left : room, reader->offset);
		if (count < 0 && errno == EINTR)
			continue;
		if (count == 0)
			errno = EIO; /* nobody else can have cut the file */
		if (count <= 0)
			return temporary_unreadable(error);
		reader->filled += (size_t)count;
		reader->offset += count;
	}
	return 0;
}

static int take_from_file(struct run_reader *reader, struct simhash_error *error)
{
	const struct packed_row *row;

	reader->row = NULL;
	if (reader->at == reader->filled && reader->offset == reader->end)
		return 0;
	if (fill(reader, sizeof *row, error) != 0)
		return -1;
	row = (const struct packed_row *)(const void *)(reader->buffer + reader->at);
	if (fill(reader, row->size, error) != 0)
		return -1;
	row = (const struct packed_row *)(const void *)(reader->buffer + reader->at);
	reader->at += row->size;
	reader->row = row;
	return 0;
}

int run_reader_begin(struct run_reader *reader, const struct row_runs *runs, size_t number,
		     size_t buffer_bytes, struct simhash_error *error)
{
	*reader = (struct run_reader){.runs = runs};
	if (number < runs->spilled) {
		reader->offset = number > 0 ? runs->ends[number - 1] : 0;
		reader->end = runs->ends[number];
		if (array_reserve(&reader->buffer, &reader->capacity, buffer_bytes, 1, error) != 0)
			return -1;
	}
	return run_reader_step(reader, error);
}

int run_reader_step(struct run_reader *reader, struct simhash_error *error)
{
	return reader->buffer == NULL ? take_from_memory(reader) : take_from_file(reader, error);
}

void run_reader_release(struct run_reader *reader)
{
	free(reader->buffer);
	*reader = (struct run_reader){.row = NULL};
}
