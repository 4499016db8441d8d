/*
 * Runs of sorted rows, in memory or in a file.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/row_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/temporary.h"

#define WRITE_BYTES ((size_t)256 << 10)
#define ROW_AHEAD 8 /* rows in order are scattered over memory: the cache is told of them early */

/* Of each row: its place in the order, and another while that is made. */
#define ITEM_BYTES (2 * sizeof(struct sort_item))

static struct packed_row *row_at(const struct row_runs *runs, const struct sort_item *item)
{
	return (struct packed_row *)(void *)(runs->bytes + item->number);
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

static int sort_rows(struct row_runs *runs, struct simhash_error *error)
{
	struct sort_item *scratch = malloc((runs->count + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_items(runs->items, scratch, runs->count, 64);
	free(scratch);
	order_equal_keys(runs);
	return 0;
}

/* ---- Zones ---- */

/* The next row of a run in its order, which ends at `end`: its zone, or the first of a new one. */
static int add_to_zones(struct row_runs *runs, size_t number, off_t end,
			struct simhash_error *error)
{
	const struct packed_row *row = row_at(runs, &runs->items[number]);
	int64_t end_of_reach = packed_row_end_of_reach(row);
	struct run_zone *zone;

	if (number % ZONE_ROWS == 0) {
		if (array_reserve(&runs->zones, &runs->zone_capacity, runs->zone_count + 1,
				  sizeof *runs->zones, error) != 0)
			return -1;
		runs->zones[runs->zone_count++] =
			(struct run_zone){.key = row->uniform, .end_of_reach = end_of_reach};
	}
	zone = &runs->zones[runs->zone_count - 1];
	zone->end = end;
	if (end_of_reach > zone->end_of_reach)
		zone->end_of_reach = end_of_reach;
	return 0;
}

/* The number of the zone that a run begins with. */
static size_t first_zone(const struct row_runs *runs, size_t run)
{
	return run == 0 ? 0 : runs->ends[run - 1];
}

int row_runs_end(struct row_runs *runs, struct simhash_error *error)
{
	if (sort_rows(runs, error) != 0)
		return -1;
	for (size_t i = 0; i < runs->count; i++) {
		if (i + ROW_AHEAD < runs->count)
			__builtin_prefetch(row_at(runs, &runs->items[i + ROW_AHEAD]));
		if (add_to_zones(runs, i, (off_t)i + 1, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- The file ---- */

/*
 * Pieces of 256 KiB. setvbuf() without a buffer would not do: glibc then ignores the size, and
 * writes 4 KiB at a time.
 */
static int open_file(struct row_runs *runs, struct simhash_error *error)
{
	if (runs->piece == NULL)
		runs->piece = malloc(WRITE_BYTES);
	if (runs->piece == NULL)
		return error_set_memory(error);
	if (runs->file == NULL)
		runs->file = temporary_file();
	return runs->file != NULL ? 0 : temporary_no_room(error);
}

/* Append bytes to the piece that is to be written at *place; it goes to the file when it is full. */
static int write_bytes(struct row_runs *runs, const void *bytes, size_t size, size_t *filled,
		       off_t *place, struct simhash_error *error)
{
	const char *read = bytes;

	while (size > 0) {
		size_t room = WRITE_BYTES - *filled, part = size < room ? size : room;
		memcpy(runs->piece + *filled, read, part);
		*filled += part;
		read += part;
		size -= part;
		if (*filled < WRITE_BYTES)
			break;
		if (temporary_write_at(runs->file, runs->piece, WRITE_BYTES, *place, error) != 0)
			return -1;
		*place += (off_t)WRITE_BYTES;
		*filled = 0;
	}
	return 0;
}

static void free_memory(struct row_runs *runs)
{
	free(runs->bytes);
	free(runs->items);
	free(runs->piece);
	runs->bytes = NULL;
	runs->items = NULL;
	runs->piece = NULL;
	runs->capacity = runs->item_capacity = 0;
}

/* Write what is in memory, which is sorted, behind the runs of the file. */
static int write_rows(struct row_runs *runs, struct simhash_error *error)
{
	off_t end = runs->spilled > 0 ? runs->zones[runs->ends[runs->spilled - 1] - 1].end : 0;
	off_t place = end;
	size_t filled = 0;

	runs->zone_count = first_zone(runs, runs->spilled); /* those in memory are no more */
	for (size_t i = 0; i < runs->count; i++) {
		const struct packed_row *row = row_at(runs, &runs->items[i]);
		if (i + ROW_AHEAD < runs->count)
			__builtin_prefetch(row_at(runs, &runs->items[i + ROW_AHEAD]));
		if (write_bytes(runs, row, row->size, &filled, &place, error) != 0)
			return -1;
		end += row->size;
		if (add_to_zones(runs, i, end, error) != 0)
			return -1;
	}
	return temporary_write_at(runs->file, runs->piece, filled, place, error);
}

static int add_run(struct row_runs *runs, struct simhash_error *error)
{
	if (open_file(runs, error) != 0 ||
	    array_reserve(&runs->ends, &runs->end_capacity, runs->spilled + 1, sizeof *runs->ends,
			  error) != 0 ||
	    write_rows(runs, error) != 0)
		return -1;
	runs->ends[runs->spilled++] = runs->zone_count;
	runs->count = runs->used = 0;
	return 0;
}

int row_runs_spill(struct row_runs *runs, struct simhash_error *error)
{
	struct run_zone *zones;

	if (runs->count > 0 && add_run(runs, error) != 0)
		return -1;
	free_memory(runs);
	/* They are all that stays, and half of their room may be free. */
	zones = realloc(runs->zones, (runs->zone_count + 1) * sizeof *zones);
	if (zones != NULL) {
		runs->zones = zones;
		runs->zone_capacity = runs->zone_count + 1;
	}
	return 0;
}

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error)
{
	size_t size = packed_row_size(file);

	if (size > UINT32_MAX)
		return error_set_memory(error);
	if (runs->count > 0 && runs->used + size + (runs->count + 1) * ITEM_BYTES > runs->budget &&
	    (sort_rows(runs, error) != 0 || add_run(runs, error) != 0))
		return -1;
	if (array_reserve(&runs->bytes, &runs->capacity, runs->used + size, 1, error) != 0 ||
	    array_reserve(&runs->items, &runs->item_capacity, runs->count + 1, sizeof *runs->items,
			  error) != 0)
		return -1;
	runs->items[runs->count] = (struct sort_item){(uint64_t)file->uniform, runs->used};
	packed_row_write(row_at(runs, &runs->items[runs->count++]), file);
	runs->used += size;
	runs->rows++;
	runs->unsketched += !file->has_sketch;
	return 0;
}

void row_runs_release(struct row_runs *runs)
{
	if (runs->file != NULL)
		fclose(runs->file);
	free_memory(runs);
	free(runs->ends);
	free(runs->zones);
	*runs = (struct row_runs){.budget = 0};
}

/* ---- Reading ---- */

static bool is_in_memory(const struct run_reader *reader)
{
	return reader->window.buffer == NULL;
}

static bool is_zone_wanted(const struct run_zone *zone, const struct row_range *range)
{
	return zone->key <= range->high && zone->end_of_reach >= range->reaching;
}

size_t row_runs_marks(const struct row_runs *runs, const struct row_range *range, int64_t *keys)
{
	size_t count = 0;

	for (size_t run = 0; run < row_runs_count(runs); run++) {
		size_t end = run < runs->spilled ? runs->ends[run] : runs->zone_count;
		for (size_t i = first_zone(runs, run); i < end; i++) {
			const struct run_zone *zone = &runs->zones[i];
			bool is_below = i + 1 < end && zone[1].key < range->low;
			if (!is_below && is_zone_wanted(zone, range))
				keys[count++] = zone->key;
		}
	}
	return count;
}

/* Go on to the next zones that are wanted and lie one behind another. */
static bool next_zones(struct run_reader *reader)
{
	const struct run_zone *zones = reader->runs->zones;

	while (reader->zone < reader->end_zone &&
	       !is_zone_wanted(&zones[reader->zone], &reader->range))
		reader->zone++;
	if (reader->zone == reader->end_zone)
		return false;
	reader->window.next = reader->zone == reader->first_zone ? reader->begin
								 : zones[reader->zone - 1].end;
	while (reader->zone < reader->end_zone &&
	       is_zone_wanted(&zones[reader->zone], &reader->range))
		reader->window.end = zones[reader->zone++].end;
	return true;
}

static const struct packed_row *take_from_memory(struct run_reader *reader)
{
	const struct row_runs *runs = reader->runs;
	struct temporary_window *window = &reader->window;

	if (window->next + ROW_AHEAD < window->end)
		__builtin_prefetch(row_at(runs, &runs->items[window->next + ROW_AHEAD]));
	return row_at(runs, &runs->items[window->next++]);
}

/* NULL with the error filled. */
static const struct packed_row *take_from_file(struct run_reader *reader,
					       struct simhash_error *error)
{
	struct temporary_window *window = &reader->window;
	const struct packed_row *row = temporary_peek(window, sizeof *row, error);

	if (row != NULL)
		row = temporary_peek(window, row->size, error);
	if (row != NULL)
		window->at += row->size;
	return row;
}

int run_reader_begin(struct run_reader *reader, const struct row_runs *runs, size_t number,
		     const struct row_range *range, size_t buffer_bytes,
		     struct simhash_error *error)
{
	bool is_spilled = number < runs->spilled;
	size_t zone = first_zone(runs, number);

	*reader =
		(struct run_reader){.runs = runs,
				    .range = *range,
				    .window = {.file = runs->file},
				    .first_zone = zone,
				    .end_zone = is_spilled ? runs->ends[number] : runs->zone_count};
	if (is_spilled && zone > 0)
		reader->begin = runs->zones[zone - 1].end;
	/* The last zone whose first key is below the range may end in it. */
	reader->zone = zone;
	for (size_t end = reader->end_zone; reader->zone + 1 < end;) {
		size_t middle = reader->zone + (end - reader->zone) / 2;
		if (runs->zones[middle].key < range->low)
			reader->zone = middle;
		else
			end = middle;
	}
	if (is_spilled && array_reserve(&reader->window.buffer, &reader->window.capacity,
					buffer_bytes, 1, error) != 0)
		return -1;
	return run_reader_step(reader, error);
}

int run_reader_step(struct run_reader *reader, struct simhash_error *error)
{
	const struct temporary_window *window = &reader->window;
	const struct packed_row *row;

	do {
		reader->row = NULL;
		if (temporary_is_at_end(window) && !next_zones(reader))
			return 0;
		row = is_in_memory(reader) ? take_from_memory(reader)
					   : take_from_file(reader, error);
		if (row == NULL)
			return -1;
		if (row->uniform > reader->range.high)
			return 0;
	} while (row->uniform < reader->range.low ||
		 (reader->range.reaching > INT64_MIN &&
		  packed_row_end_of_reach(row) < reader->range.reaching));
	reader->row = row;
	return 0;
}

void run_reader_release(struct run_reader *reader)
{
	free(reader->window.buffer);
	*reader = (struct run_reader){.row = NULL};
}
