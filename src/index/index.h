/*
 * Indexing trees: what the program simhash does.
 *
 *     walker --> bounded queue of batches --> scanner threads
 *                         --> bounded queue of batches --> one writer
 *
 * Memory is bounded whatever the tree: two queues of 64 batches, and the rows
 * of one transaction.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_INDEX_H
#define SIMHASH_INDEX_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "index/filter.h"
#include "index/progress.h"
#include "simhash.h"
#include "simhash_measures.h"
#include "store/store.h"

struct index_options {
	struct store_location location;
	const struct simhash_tag_set *tag_set;
	const char *host;
	char *const *paths;
	unsigned path_count;
	/* Besides, the files in a list, each name ended by a zero byte; NULL for none. */
	const char *list_name;
	int list_fd;
	const struct filter *filter;
	bool follow; /* symbolic links */
	bool force;  /* scan unchanged files again */
	bool one_file_system;
	bool inflate;		    /* the content of gzip files too */
	int64_t max_inflated_bytes; /* of one of them */
	/* Sketches by these, at most SKETCHES_MAX, are made too. */
	struct simhash_measure *const *measures;
	unsigned measure_count;
	struct index_progress *progress; /* kept up to date; or NULL */
	unsigned threads;
	/* Set from outside to end early; set here too when the run fails. */
	atomic_bool *stop;
	/* Told of every path that could not be read; called from any thread. */
	void (*failed)(void *context, struct bytes path, int system_errno);
	void *context;
};

struct index_summary {
	uint64_t scanned, unchanged, removed, failed;
	uint64_t bytes;		     /* scanned */
	uint64_t listed_directories; /* in the list, where they do not count */
	double seconds;
	bool is_interrupted; /* the outside set `stop` */
};

/*
 * Index the trees. What the summary counts as scanned or removed is committed,
 * also when the run fails (-1) or is interrupted.
 */
int index_trees(const struct index_options *options, struct index_summary *summary,
		struct simhash_error *error);

#endif
