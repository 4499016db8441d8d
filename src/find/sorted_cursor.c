/*
 * Merging the runs of sorted rows.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/error.h"
#include "find/sorted_rows.h"

#define BUFFER_BYTES_MIN ((size_t)4 << 10)
#define BUFFER_BYTES_MAX ((size_t)1 << 20)

static bool comes_before(const struct run_reader *x, const struct run_reader *y)
{
	return packed_row_compare(x->row, y->row) < 0;
}

/* Restore the heap below `i`, whose row has become a later one. */
static void sift_down(struct sorted_cursor *cursor, size_t i)
{
	struct run_reader *moved = cursor->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= cursor->heap_count)
			break;
		if (child + 1 < cursor->heap_count &&
		    comes_before(cursor->heap[child + 1], cursor->heap[child]))
			child++;
		if (!comes_before(cursor->heap[child], moved))
			break;
		cursor->heap[i] = cursor->heap[child];
		i = child;
	}
	cursor->heap[i] = moved;
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
	cursor->heap = calloc(count + 1, sizeof(struct run_reader *));
	if (cursor->readers == NULL || cursor->heap == NULL)
		return error_set_memory(error);
	buffer = buffer_bytes(rows, count);
	for (unsigned i = 0; i < rows->runs_count; i++)
		for (size_t run = 0; run < row_runs_count(&rows->runs[i]); run++) {
			struct run_reader *reader = &cursor->readers[cursor->reader_count++];
			if (run_reader_begin(reader, &rows->runs[i], run, range, buffer, error) !=
			    0)
				return -1;
			if (reader->row != NULL)
				cursor->heap[cursor->heap_count++] = reader;
		}
	for (size_t i = cursor->heap_count / 2; i-- > 0;)
		sift_down(cursor, i);
	return 0;
}

int sorted_cursor_next(struct sorted_cursor *cursor, const struct packed_row **row,
		       struct simhash_error *error)
{
	if (!cursor->has_begun) {
		cursor->has_begun = true;
	} else if (cursor->heap_count > 0) {
		if (run_reader_step(cursor->heap[0], error) != 0)
			return -1;
		if (cursor->heap[0]->row == NULL)
			cursor->heap[0] = cursor->heap[--cursor->heap_count];
		if (cursor->heap_count > 0)
			sift_down(cursor, 0);
	}
	if (cursor->heap_count == 0)
		return 0;
	*row = cursor->heap[0]->row;
	return 1;
}

void sorted_cursor_end(struct sorted_cursor *cursor)
{
	for (size_t i = 0; i < cursor->reader_count; i++)
		run_reader_release(&cursor->readers[i]);
	free(cursor->readers);
	free(cursor->heap);
	*cursor = (struct sorted_cursor){.readers = NULL};
}
