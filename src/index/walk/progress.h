/*
 * Stores the progress of a run, which a program can show during the run. The working threads count
 * finished files and bytes; count_ahead.c counts all files and bytes.
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
	atomic_llong files_done, bytes_done; /* files that were scanned, are unchanged or failed */
	atomic_llong bytes_unchanged;	     /* the part of bytes_done that was not read */
	atomic_llong files_found, bytes_found;
	atomic_bool is_counting; /* the thread is counting, or will begin soon */
	atomic_bool is_counted;	 /* all files were counted */
	pthread_mutex_t lock;	 /* for the members below */
	char path[4096];	 /* the current file; the end of a longer path */
	size_t path_size;
};

void index_progress_init(struct index_progress *progress);
void index_progress_release(struct index_progress *progress);

static inline void index_progress_add(struct index_progress *progress, int64_t files, int64_t bytes)
{
	atomic_fetch_add_explicit(&progress->files_done, files, memory_order_relaxed);
	atomic_fetch_add_explicit(&progress->bytes_done, bytes, memory_order_relaxed);
}

/* Count a file that need not be read. */
static inline void index_progress_skip(struct index_progress *progress, int64_t bytes)
{
	atomic_fetch_add_explicit(&progress->bytes_unchanged, bytes, memory_order_relaxed);
	index_progress_add(progress, 1, bytes);
}

/* Set the progress of a finished run, even if counting is incomplete. */
void index_progress_end(struct index_progress *progress);

/* Set the current path: DIRECTORY/NAME. Does nothing while the path is being read. */
void index_progress_set_path(struct index_progress *progress, struct bytes directory,
			     struct bytes name);

#endif
