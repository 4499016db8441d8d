/*
 * Counts the work of a run for its progress, by a separate walk that only counts. It is faster than
 * the walkers, which wait for the scanners to limit memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_COUNT_AHEAD_H
#define SIMHASH_INDEX_COUNT_AHEAD_H

#include <pthread.h>

#include "index/walk/progress.h"
#include "index/walk/walk.h"

struct count_ahead {
	const struct roots *roots;
	struct walk_options options;
	struct index_progress *progress;
	bool is_running;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	atomic_bool is_over;
};

/*
 * Begin to count in a thread after a short delay, because a very short run needs no second walk. If
 * no thread can be started, nothing is counted.
 */
void count_ahead_start(struct count_ahead *count, const struct roots *roots,
		       const struct walk_options *options, struct index_progress *progress);

/* Stop counting, even if it is incomplete. Does nothing if it was not started. */
void count_ahead_end(struct count_ahead *count);

#endif
