/*
 * Collects and sorts the rows of one thread in runs, which may be larger than memory; see
 * base/sort/runs.h.
 *
 *     row_runs_init(&runs, bytes);
 *     row_runs_add(&runs, &file, &error);     // for each row
 *     row_runs_end(&runs, &error);            // the last run stays in memory
 *     row_runs_spill(&runs, &error);          // or write it to the file like the others
 *     ... read them with a struct sorted_cursor ...
 *     row_runs_release(&runs);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ROW_RUNS_H
#define SIMHASH_FIND_ROW_RUNS_H

#include "base/sort/runs.h"
#include "find/rows/packed_row.h"

/* The size of a packed row, for the runs. */
static inline size_t row_run_size(const void *head)
{
	const struct packed_row *row = head;

	return row->size;
}

/* Consecutive rows of a run. All zones have ZONE_ROWS rows, except for the last one. */
#define ZONE_ROWS 64
struct run_zone {
	int64_t key;	      /* the key of the first row */
	int64_t end_of_reach; /* the largest of all rows */
	/* Its offset in the file or, in memory, the number of the item after the last row. */
	off_t end;
};

struct row_runs {
	struct runs runs;
	uint64_t rows;	     /* the number of rows added */
	uint64_t unsketched; /* the number of these rows without a sketch */
	/* The zones of all runs, and the number of the first zone of each run. */
	struct run_zone *zones;
	size_t zone_count, zone_capacity;
	size_t *first_zones, first_count, first_capacity;
};

/*
 * Rows and their order may use `budget` bytes of memory. The struct must not move until its
 * release.
 */
void row_runs_init(struct row_runs *runs, size_t budget);

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error);

/* Sort the rows in memory. No more rows may be added. */
int row_runs_end(struct row_runs *runs, struct simhash_error *error);

/* After row_runs_end: write the rows in memory to the file. */
int row_runs_spill(struct row_runs *runs, struct simhash_error *error);

/* The number of the zone after the last zone of a run. */
static inline size_t row_runs_end_zone(const struct row_runs *runs, size_t run)
{
	return run + 1 < runs->first_count ? runs->first_zones[run + 1] : runs->zone_count;
}

void row_runs_release(struct row_runs *runs);

/* The rows with keys uniform from `low` to `high` that reach the key `reaching`. */
struct row_range {
	int64_t low, high, reaching;
};

/*
 * May the zone have rows of the range? The caller knows that the first key of the zone is not below
 * the range.
 */
static inline bool run_zone_is_wanted(const struct run_zone *zone, const struct row_range *range)
{
	return zone->key <= range->high && zone->end_of_reach >= range->reaching;
}

/* The keys of the first rows of the zones that may have rows of the range. Returns their number. */
size_t row_runs_marks(const struct row_runs *runs, const struct row_range *range, int64_t *keys);

#endif
