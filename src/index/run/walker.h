/*
 * Defines the state of each walker of a run, and the state that all walkers share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_WALKER_H
#define SIMHASH_INDEX_WALKER_H

#include <pthread.h>

#include "index/compare/reconcile.h"
#include "index/compare/vanished.h"
#include "index/walk/roots.h"
#include "index/walk/walk.h"
#include "index/work/request.h"
#include "store/row/file_row.h"

#define WALKERS_MAX 4

/* The state of one thread. */
struct walker_thread {
	struct walkers *walkers;
	struct reconciler reconciler;
	struct feed feed;
	struct put_aside aside;
	int status;
	struct simhash_error error;
};

struct walkers {
	/* Set by the caller; all are borrowed. */
	const struct index_request *request;
	const struct index_resources *resources;
	const struct store *store; /* the index */
	struct row_scope scope;
	const int64_t *measures; /* the ids of the requested measures */
	unsigned measure_count;
	const struct roots *roots;
	struct scanners *scanners;
	struct failures *failures;
	struct vanished *vanished;
	struct walk_options options;
	struct aside_bounds bounds; /* the caller sets their time */

	/* the number of walkers, and the maximum number of open directories */
	unsigned count, directories_max;
	struct walker_thread threads[WALKERS_MAX];
	struct walk *walk; /* the current walk */
	uint64_t listed_directories, listed_others;
	bool looks_for_moved;
	/* The number of moved rows whose old rows are in vanished directories and still exist. */
	uint64_t moved_from_vanished;
	pthread_t main; /* the thread that handles the roots; it is also the first walker */
	int status;
	struct simhash_error error;
};

#endif
