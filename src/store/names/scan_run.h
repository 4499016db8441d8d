/*
 * The runs of simhash that an index remembers, one for each root.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCAN_RUN_H
#define SIMHASH_STORE_SCAN_RUN_H

#include "base/data/arena.h"
#include "store/row/file_row.h"

struct store;

struct scan_run {
	int64_t id;
	struct row_scope scope; /* set where a run is read */
	struct bytes root;
	int64_t started_at_ns, finished_at_ns; /* finished: 0 if it has not ended */
	int64_t files, bytes, errors;
};

/*
 * Enter a run that begins, which sets its id; complete it when it ends. One that is cut off has the
 * end 0. Meanwhile it counts what is stored, see struct run_progress.
 */
int store_run_start(struct store *store, const struct row_scope *scope, struct scan_run *run,
		    struct simhash_error *error);
int store_run_finish(struct store *store, const struct scan_run *run, struct simhash_error *error);

/* Enter runs that another index has, with their ends, at once. */
int store_runs_enter(struct store *store, const struct scan_run *runs, size_t count,
		     struct simhash_error *error);

/*
 * No row of a scope was scanned after *last_ns, as far as its runs tell: INT64_MAX if one may still
 * be going on.
 */
int store_last_scan(struct store *store, const struct row_scope *scope, int64_t *last_ns,
		    struct simhash_error *error);

/* Runs in the order in which they began. */
struct scan_run_list {
	struct scan_run *runs;
	size_t count, capacity;
	struct arena roots;
};

/* All runs. On success the caller releases the list. */
int store_read_runs(struct store *store, struct scan_run_list *list, struct simhash_error *error);

void scan_run_list_release(struct scan_run_list *list);

#endif
