/*
 * Rows that one thread collects, in runs: each is sorted, and those that do not fit into the
 * memory allowed wait in a temporary file, which has no name.
 *
 *     runs = (struct row_runs){.budget = bytes};
 *     row_runs_add(&runs, &file, &error);     // for each row
 *     row_runs_end(&runs, &error);            // the last run stays in memory
 *     row_runs_spill(&runs, &error);          // if that is wanted in the file too
 *     for (size_t i = 0; i < row_runs_count(&runs); i++)
 *             run_reader_begin(&reader, &runs, i, buffer_bytes, &error);
 *     while (reader.row != NULL)
 *             run_reader_step(&reader, &error);
 *     run_reader_release(&reader);
 *     row_runs_release(&runs);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ROW_RUNS_H
#define SIMHASH_FIND_ROW_RUNS_H

#include <stdio.h>
#include <sys/types.h>

#include "base/sort.h"
#include "find/packed_row.h"

struct row_runs {
	size_t budget; /* bytes of memory that rows and their order may take */
	/* What is in memory: rows one behind another, and where each begins. */
	char *bytes;
	size_t used, capacity;
	struct sort_item *items;
	size_t count, item_capacity;
	/* What is in the file: where each run ends. */
	FILE *file;
	off_t *ends;
	size_t spilled, end_capacity;
};

int row_runs_add(struct row_runs *runs, const struct find_file *file, struct simhash_error *error);

/* Sort what is in memory. No more rows may be added. */
int row_runs_end(struct row_runs *runs, struct simhash_error *error);

/* Sort what is in memory, and write it to the file. */
int row_runs_spill(struct row_runs *runs, struct simhash_error *error);

/* Those of the file, and the one in memory. */
static inline size_t row_runs_count(const struct row_runs *runs)
{
	return runs->spilled + (runs->count > 0);
}

/* After row_runs_spill: what is kept for more rows. */
void row_runs_free_memory(struct row_runs *runs);

void row_runs_release(struct row_runs *runs);

struct run_reader {
	const struct packed_row *row; /* the present one, or NULL behind the last */
	const struct row_runs *runs;
	size_t next; /* in memory: the item behind the present one */
	/* From the file: what was read of it, and where it goes on. */
	char *buffer;
	size_t at, filled, capacity;
	off_t offset, end;
};

/* Go to the first row of a run. Borrows the runs. */
int run_reader_begin(struct run_reader *reader, const struct row_runs *runs, size_t number,
		     size_t buffer_bytes, struct simhash_error *error);

/* Go to the next row, which lives until the one after it. */
int run_reader_step(struct run_reader *reader, struct simhash_error *error);

void run_reader_release(struct run_reader *reader);

#endif
