/*
 * Merging the runs of sorted rows.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "find/rows/sorted_rows.h"

#define BUFFER_BYTES_MIN ((size_t)4 << 10)
#define BUFFER_BYTES_MAX ((size_t)1 << 20)

static bool comes_before(const void *a, const void *b, const void *unused)
{
	const struct run_reader *x = a, *y = b;

	(void)unused;
	return packed_row_compare(x->row, y->row) < 0;
}

/* How much each reader has at once of its run, if that is in a file. */
static size_t buffer_bytes(const struct sorted_rows *rows, size_t run_count)
{
	size_t bytes = run_count == 0 ? BUFFER_BYTES_MAX : rows->cursor_bytes / run_count;

	if (bytes < BUFFER_BYTES_MIN)
		return BUFFER_BYTES_MIN;
	return bytes < BUFFER_BYTES_MAX ? bytes : BUFFER_BYTES_MAX;
}

int sorted_cursor_begin(struct sorted_cursor *cursor, const struct sorted_rows *rows,
			const struct row_range *range, struct simhash_error *error)
{
	size_t count = 0, buffer;

	*cursor = (struct sorted_cursor){.readers = NULL};
	for (unsigned i = 0; i < rows->runs_count; i++)
		count += row_runs_count(&rows->runs[i]);
	cursor->readers = calloc(count + 1, sizeof *cursor->readers);
	cursor->heap.items = calloc(count + 1, sizeof *cursor->heap.items);
	if (cursor->readers == NULL || cursor->heap.items == NULL)
		return error_set_memory(error);
	buffer = buffer_bytes(rows, count);
	for (unsigned i = 0; i < rows->runs_count; i++)
		for (size_t run = 0; run < row_runs_count(&rows->runs[i]); run++) {
			struct run_reader *reader = &cursor->readers[cursor->reader_count++];
			if (run_reader_begin(reader, &rows->runs[i], run, range, buffer, error) !=
			    0)
				return -1;
			if (reader->row != NULL)
				cursor->heap.items[cursor->heap.count++] = reader;
		}
	heap_make(&cursor->heap, comes_before, NULL);
	return 0;
}

int sorted_cursor_next(struct sorted_cursor *cursor, const struct packed_row **row,
		       struct simhash_error *error)
{
	struct heap *heap = &cursor->heap;
	const struct run_reader *first;

	if (!cursor->has_begun) {
		cursor->has_begun = true;
	} else if (heap->count > 0) {
		struct run_reader *given = heap->items[0];
		if (run_reader_step(given, error) != 0)
			return -1;
		if (given->row != NULL)
			heap_settle_first(heap, comes_before, NULL);
		else
			heap_remove_first(heap, comes_before, NULL);
	}
	if (heap->count == 0)
		return 0;
	first = heap->items[0];
	*row = first->row;
	return 1;
}

void sorted_cursor_end(struct sorted_cursor *cursor)
{
	for (size_t i = 0; i < cursor->reader_count; i++)
		run_reader_release(&cursor->readers[i]);
	free(cursor->readers);
	free(cursor->heap.items);
	*cursor = (struct sorted_cursor){.readers = NULL};
}
