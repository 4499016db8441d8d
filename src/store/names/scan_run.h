/*
 * Records the runs of simhash in the index, one for each root.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCAN_RUN_H
#define SIMHASH_STORE_SCAN_RUN_H

#include "base/data/arena.h"
#include "store/row/file_row.h"

struct store;

struct scan_run {
	int64_t id;
	struct row_scope scope; /* set when a run is read */
	struct bytes root;
	int64_t started_at_ns, finished_at_ns; /* finished_at_ns is 0 if the run has not ended */
	int64_t files, bytes, errors;
};

/*
 * The first function adds a run that begins, and sets its id. The second one completes the run when
 * it ends. finished_at_ns of an interrupted run is 0. During the run its row counts the stored
 * files: see struct run_progress.
 */
int store_run_start(struct store *store, const struct row_scope *scope, struct scan_run *run,
		    struct simhash_error *error);
int store_run_finish(struct store *store, const struct scan_run *run, struct simhash_error *error);

/* Add finished runs of another index at once. */
int store_runs_enter(struct store *store, const struct scan_run *runs, size_t count,
		     struct simhash_error *error);

/*
 * Return the latest time at which a row of a scope can have been scanned, according to its runs.
 * INT64_MAX if a run may still be in progress.
 */
int store_last_scan(struct store *store, const struct row_scope *scope, int64_t *last_ns,
		    struct simhash_error *error);

/* Runs in the order of their start. */
struct scan_run_list {
	struct scan_run *runs;
	size_t count, capacity;
	struct arena roots;
};

/* Read all runs. On success the caller releases the list. */
int store_read_runs(struct store *store, struct scan_run_list *list, struct simhash_error *error);

void scan_run_list_release(struct scan_run_list *list);

#endif
