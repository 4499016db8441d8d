/*
 * Rows that one thread collects and sorts, as runs that may be larger than memory; see
 * base/sort/runs.h.
 *
 *     row_runs_init(&runs, bytes);
 *     row_runs_add(&runs, &file, &error);     // for each row
 *     row_runs_end(&runs, &error);            // the last run stays in memory
 *     row_runs_spill(&runs, &error);          // or it goes to the file as the others
 *     ... read them by a struct sorted_cursor ...
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

/* Some rows of a run, one behind another: as many but for the last zone. */
#define ZONE_ROWS 64
struct run_zone {
	int64_t key;	      /* of the first */
	int64_t end_of_reach; /* the largest of them */
	off_t end;	      /* in the file; in memory the number of the item behind the last */
};

struct row_runs {
	struct runs runs;
	uint64_t rows;	     /* all that were added */
	uint64_t unsketched; /* of them */
	/* The zones of all runs, and the number of the first zone of each run. */
	struct run_zone *zones;
	size_t zone_count, zone_capacity;
	size_t *first_zones, first_count, first_capacity;
};

/* Rows and their order may take so many bytes of memory. Stays where it is until it is released. */
void row_runs_init(struct row_runs *runs, size_t budget);

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error);

/* Sort what is in memory. No more rows may be added. */
int row_runs_end(struct row_runs *runs, struct simhash_error *error);

/* After row_runs_end: write what is in memory to the file. */
int row_runs_spill(struct row_runs *runs, struct simhash_error *error);

/* The number of the zone behind the last one of a run. */
static inline size_t row_runs_end_zone(const struct row_runs *runs, size_t run)
{
	return run + 1 < runs->first_count ? runs->first_zones[run + 1] : runs->zone_count;
}

void row_runs_release(struct row_runs *runs);

/* Of the rows whose keys uniform are from `low` to `high`, those that reach the key `reaching`. */
struct row_range {
	int64_t low, high, reaching;
};

/* May a zone, whose first key is not below the range, have rows of it? */
static inline bool run_zone_is_wanted(const struct run_zone *zone, const struct row_range *range)
{
	return zone->key <= range->high && zone->end_of_reach >= range->reaching;
}

/* The keys of the first rows of those zones that may have rows of the range. Returns how many. */
size_t row_runs_marks(const struct row_runs *runs, const struct row_range *range, int64_t *keys);

#endif
