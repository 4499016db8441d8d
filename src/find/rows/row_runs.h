/*
 * Rows that one thread collects, in runs: each is sorted, and those that do not fit into the
 * memory allowed wait in a temporary file, which has no name.
 *
 *     runs = (struct row_runs){.budget = bytes};
 *     row_runs_add(&runs, &file, &error);     // for each row
 *     row_runs_end(&runs, &error);            // the last run stays in memory
 *     row_runs_spill(&runs, &error);          // if that is wanted in the file too
 *     for (size_t i = 0; i < row_runs_count(&runs); i++)
 *             run_reader_begin(&reader, &runs, i, &range, buffer_bytes, &error);
 *     while (reader.row != NULL)
 *             run_reader_step(&reader, &error);
 *     run_reader_release(&reader);
 *     row_runs_release(&runs);
 *
 * Any number of threads may read, each with readers of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ROW_RUNS_H
#define SIMHASH_FIND_ROW_RUNS_H

#include <stdio.h>
#include <sys/types.h>

#include "base/files/temporary.h"
#include "base/sort/sort.h"
#include "find/rows/packed_row.h"

/* Some rows of a run, one behind another: as many but for the last zone. */
#define ZONE_ROWS 64
struct run_zone {
	int64_t key;	      /* of the first */
	int64_t end_of_reach; /* the largest of them */
	off_t end;	      /* in the file; in memory the number of the item behind the last */
};

struct row_runs {
	size_t budget;	     /* bytes of memory that rows and their order may take */
	uint64_t rows;	     /* all that were added */
	uint64_t unsketched; /* of them */
	/* What is in memory: rows one behind another, and where each begins. */
	char *bytes;
	size_t used, capacity;
	struct sort_item *items;
	size_t count, item_capacity;
	/* What is in the file: the number of the zone behind each run. */
	FILE *file;
	char *piece; /* of the rows that are written together */
	size_t *ends;
	size_t spilled, end_capacity;
	/* Of all runs, that in memory last. */
	struct run_zone *zones;
	size_t zone_count, zone_capacity;
};

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error);

/* Sort what is in memory. No more rows may be added. */
int row_runs_end(struct row_runs *runs, struct simhash_error *error);

/* After row_runs_end: write what is in memory to the file. */
int row_runs_spill(struct row_runs *runs, struct simhash_error *error);

/* Those of the file, and the one in memory. */
static inline size_t row_runs_count(const struct row_runs *runs)
{
	return runs->spilled + (runs->count > 0);
}

void row_runs_release(struct row_runs *runs);

/* Of the rows whose keys uniform are from `low` to `high`, those that reach the key `reaching`. */
struct row_range {
	int64_t low, high, reaching;
};

/* The keys of the first rows of those zones that may have rows of the range. Returns how many. */
size_t row_runs_marks(const struct row_runs *runs, const struct row_range *range, int64_t *keys);

struct run_reader {
	const struct packed_row *row; /* the present one, or NULL behind the last */
	const struct row_runs *runs;
	struct row_range range;
	size_t first_zone, zone, end_zone; /* of the run; that to be read next; behind the last */
	off_t begin;			   /* of the run, as in the window: see struct run_zone */
	struct temporary_window window;	   /* without a buffer where the run is in memory */
};

/* Go to the first row of a run that is in the range. Borrows the runs. */
int run_reader_begin(struct run_reader *reader, const struct row_runs *runs, size_t number,
		     const struct row_range *range, size_t buffer_bytes,
		     struct simhash_error *error);

/* Go to the next row, which lives until the one after it. */
int run_reader_step(struct run_reader *reader, struct simhash_error *error);

void run_reader_release(struct run_reader *reader);

#endif
