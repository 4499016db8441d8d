/*
 * Manages a run of simfind --store, whose results replace the results of the last run.
 *
 *     if (find_run_begin(store, &run, error) != 0)
 *             return -1;
 *     status = group_rows_write(store, &run, rows, count, error); // and so on; answer_rows.h
 *     if (status == 0)
 *             status = find_run_finish(store, &run, error);
 *     else
 *             find_run_abandon(store, &run);
 *
 * Rows are written in many transactions, and belong to a run that no view shows. The last
 * transaction makes it the current run, so a reader sees either the old results or the new ones.
 * The next run that finishes removes the rows of interrupted runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FIND_RUN_H
#define SIMHASH_STORE_FIND_RUN_H

#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"
#include "simhash.h"

struct store;

struct find_run {
	int64_t id; /* set by find_run_begin */
	int64_t tag_set;
	const char *host;     /* the host on which simfind runs */
	struct bytes options; /* the command */
	const char *program_version;
	int64_t started_at_ns;
	/* Set the rest before find_run_finish. */
	int64_t finished_at_ns, groups, files, pairs, stored_pairs;
#define PAIRS_UNKNOWN (-1)
};

/* Start a run. It replaces unfinished runs of its tag set. */
int find_run_begin(struct store *store, struct find_run *run, struct simhash_error *error);

/*
 * Make the run the current run of its tag set, and then remove the rows of all others. Error:
 * SIMHASH_E_DATABASE if another run has begun in the meantime.
 */
int find_run_finish(struct store *store, const struct find_run *run, struct simhash_error *error);

/* Remove the rows of the run, as far as possible, unless it is the current run. */
void find_run_abandon(struct store *store, const struct find_run *run);

/*
 * In a transaction: lock the run, so that no other run replaces it. An error if another run has
 * already begun.
 */
int find_run_hold(struct store *store, int64_t run, struct simhash_error *error);

/* Get the id of the current run of a tag set, or 0. */
int find_run_current(struct store *store, int64_t tag_set, int64_t *run,
		     struct simhash_error *error);

/* The current runs, at most one for each tag set, with all members except the version. */
struct find_run_list {
	struct find_run *runs;
	size_t count, capacity;
	struct arena texts;
};

/* On success the caller releases the list. */
int find_runs_read(struct store *store, struct find_run_list *list, struct simhash_error *error);
void find_run_list_release(struct find_run_list *list);

#endif
