/*
 * Collects rows in runs, and records the keys of each zone of a run.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/row_runs.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"

static int compare_rows(const void *x, const void *y, const void *unused)
{
	(void)unused;
	return packed_row_compare(x, y);
}

/* Adds the next row of a run, which ends at `end`, to the last zone or to a new one. */
static int note_row(void *context, const void *record, size_t number, off_t end,
		    struct simhash_error *error)
{
	struct row_runs *runs = context;
	const struct packed_row *row = record;
	int64_t end_of_reach = packed_row_end_of_reach(row);
	struct run_zone *zone;

	if (number == 0) {
		if (array_reserve(&runs->first_zones, &runs->first_capacity, runs->first_count + 1,
				  sizeof *runs->first_zones, error) != 0)
			return -1;
		runs->first_zones[runs->first_count++] = runs->zone_count;
	}
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

void row_runs_init(struct row_runs *runs, size_t budget)
{
	*runs = (struct row_runs){.runs = {.budget = budget,
					   .size_of = row_run_size,
					   .compare = compare_rows,
					   .note = note_row,
					   .context = runs}};
}

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error)
{
	size_t size = packed_row_size(file);
	struct packed_row *row;

	if (size > UINT32_MAX)
		return error_set_memory(error);
	row = runs_room(&runs->runs, size, error);
	if (row == NULL)
		return -1;
	packed_row_write(row, file);
	runs_add(&runs->runs, (uint64_t)file->uniform, size);
	runs->rows++;
	runs->unsketched += !file->has_sketch;
	return 0;
}

int row_runs_end(struct row_runs *runs, struct simhash_error *error)
{
	const struct runs *collected = &runs->runs;

	if (runs_end(&runs->runs, error) != 0)
		return -1;
	for (size_t i = 0; i < collected->count; i++) {
		const struct sort_item *item = &collected->items[i];
		if (i + RUN_AHEAD < collected->count)
			__builtin_prefetch(runs_record(collected, item + RUN_AHEAD));
		if (note_row(runs, runs_record(collected, item), i, (off_t)i + 1, error) != 0)
			return -1;
	}
	return 0;
}

int row_runs_spill(struct row_runs *runs, struct simhash_error *error)
{
	struct run_zone *zones;

	if (runs->runs.count > 0) { /* their zones have other offsets in the file */
		runs->first_count = runs->runs.spilled;
		runs->zone_count = runs->first_zones[runs->first_count];
	}
	if (runs_spill(&runs->runs, error) != 0)
		return -1;
	/* Only the zones stay, and half of their memory may be unused. */
	zones = realloc(runs->zones, (runs->zone_count + 1) * sizeof *zones);
	if (zones != NULL) {
		runs->zones = zones;
		runs->zone_capacity = runs->zone_count + 1;
	}
	return 0;
}

void row_runs_release(struct row_runs *runs)
{
	runs_release(&runs->runs);
	free(runs->first_zones);
	free(runs->zones);
	*runs = (struct row_runs){.rows = 0};
}

size_t row_runs_marks(const struct row_runs *runs, const struct row_range *range, int64_t *keys)
{
	size_t count = 0;

	for (size_t run = 0; run < runs->first_count; run++) {
		size_t end = row_runs_end_zone(runs, run);
		for (size_t i = runs->first_zones[run]; i < end; i++) {
			const struct run_zone *zone = &runs->zones[i];
			bool is_below = i + 1 < end && zone[1].key < range->low;
			if (!is_below && run_zone_is_wanted(zone, range))
				keys[count++] = zone->key;
		}
	}
	return count;
}
