/*
 * Reads a range of sorted rows: reads the zones of each run that may have rows of the range, and
 * merges the rows.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/sorted_rows.h"

/* Reads the rows of a range from a run. */
struct range_reader {
	struct run_reader run; /* must be the first member */
	const struct row_runs *runs;
	struct row_range range;
	/* The first zone of the run, the next one to read, and the end. */
	size_t first_zone, zone, end_zone;
	/* The beginning of the run, in the units of the window: see struct run_zone. */
	off_t begin;
};

static bool comes_before(const void *a, const void *b, const void *unused)
{
	const struct run_reader *x = a, *y = b;

	(void)unused;
	return packed_row_compare(x->record, y->record) < 0;
}

static int open_reader(struct range_reader *reader, const struct row_runs *runs, size_t number,
		       const struct row_range *range, size_t buffer_bytes,
		       struct simhash_error *error)
{
	if (run_reader_open(&reader->run, &runs->runs, number, buffer_bytes, error) != 0)
		return -1;
	reader->runs = runs;
	reader->range = *range;
	reader->first_zone = reader->zone = runs->first_zones[number];
	reader->end_zone = row_runs_end_zone(runs, number);
	reader->begin = reader->run.window.next;
	reader->run.window.end = reader->begin; /* no zone is chosen yet */
	/*
	 * Start at the last zone whose first key is below the range, because its last rows may be
	 * in the range.
	 */
	for (size_t end = reader->end_zone; reader->zone + 1 < end;) {
		size_t middle = reader->zone + (end - reader->zone) / 2;
		if (runs->zones[middle].key < range->low)
			reader->zone = middle;
		else
			end = middle;
	}
	return 0;
}

/* Go on to the next wanted zones that follow each other directly. */
static bool next_zones(struct range_reader *reader)
{
	const struct run_zone *zones = reader->runs->zones;
	struct temporary_window *window = &reader->run.window;

	while (reader->zone < reader->end_zone &&
	       !run_zone_is_wanted(&zones[reader->zone], &reader->range))
		reader->zone++;
	if (reader->zone == reader->end_zone)
		return false;
	window->next = reader->zone == reader->first_zone ? reader->begin
							  : zones[reader->zone - 1].end;
	while (reader->zone < reader->end_zone &&
	       run_zone_is_wanted(&zones[reader->zone], &reader->range))
		window->end = zones[reader->zone++].end;
	return true;
}

static int step(struct run_reader *run, struct simhash_error *error)
{
	struct range_reader *reader = (struct range_reader *)(void *)run;
	const struct row_range *range = &reader->range;
	const struct packed_row *row;

	do {
		run->record = NULL;
		if (temporary_is_at_end(&run->window) && !next_zones(reader))
			return 0;
		if (run_reader_step(run, sizeof *row, row_run_size, error) != 0)
			return -1;
		row = run->record;
		if (row->uniform > range->high) {
			run->record = NULL;
			return 0;
		}
	} while (row->uniform < range->low ||
		 (range->reaching > INT64_MIN && packed_row_end_of_reach(row) < range->reaching));
	return 0;
}

int sorted_cursor_begin(struct sorted_cursor *cursor, const struct sorted_rows *rows,
			const struct row_range *range, struct simhash_error *error)
{
	struct run_cursor *merge = &cursor->merge;
	size_t count = 0, number = 0;

	for (unsigned i = 0; i < rows->runs_count; i++)
		count += runs_count(&rows->runs[i].runs);
	if (run_cursor_init(merge, count, sizeof(struct range_reader), error) != 0)
		return -1;
	for (unsigned i = 0; i < rows->runs_count; i++)
		for (size_t run = 0; run < runs_count(&rows->runs[i].runs); run++) {
			struct range_reader *reader = (void *)run_cursor_reader(merge, number++);
			if (open_reader(reader, &rows->runs[i], run, range,
					run_buffer_bytes(rows->cursor_bytes, count), error) != 0)
				return -1;
		}
	return run_cursor_start(merge, step, comes_before, NULL, error);
}

int sorted_cursor_next(struct sorted_cursor *cursor, const struct packed_row **row,
		       struct simhash_error *error)
{
	int status = run_cursor_next(&cursor->merge, step, comes_before, NULL, error);

	if (status == 1)
		*row = run_cursor_first(&cursor->merge)->record;
	return status;
}

void sorted_cursor_end(struct sorted_cursor *cursor)
{
	run_cursor_close(&cursor->merge);
}
