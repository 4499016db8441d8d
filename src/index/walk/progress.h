/*
 * The progress of a run, which a program can show while the run is under way. The threads that do
 * the work count finished files and bytes; count_ahead.c counts all of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_PROGRESS_H
#define SIMHASH_INDEX_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"

struct index_progress {
	atomic_llong files_done, bytes_done; /* scanned, unchanged or failed */
	atomic_llong bytes_unchanged;	     /* of them: not read */
	atomic_llong files_found, bytes_found;
	atomic_bool is_counting; /* or about to */
	atomic_bool is_counted;	 /* everything is found */
	pthread_mutex_t lock;	 /* of what follows */
	char path[4096];	 /* being scanned; of a longer one the end */
	size_t path_size;
};

void index_progress_init(struct index_progress *progress);
void index_progress_release(struct index_progress *progress);

static inline void index_progress_add(struct index_progress *progress, int64_t files, int64_t bytes)
{
	atomic_fetch_add_explicit(&progress->files_done, files, memory_order_relaxed);
	atomic_fetch_add_explicit(&progress->bytes_done, bytes, memory_order_relaxed);
}

/* A file that needs not be read. */
static inline void index_progress_skip(struct index_progress *progress, int64_t bytes)
{
	atomic_fetch_add_explicit(&progress->bytes_unchanged, bytes, memory_order_relaxed);
	index_progress_add(progress, 1, bytes);
}

/* All is done, however far counting came. */
void index_progress_end(struct index_progress *progress);

/* Set the path that is being scanned: DIRECTORY/NAME. Does nothing while it is being read. */
void index_progress_set_path(struct index_progress *progress, struct bytes directory,
			     struct bytes name);

#endif
