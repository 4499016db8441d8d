/*
 * Runs several threads that do the same work, each with its own context.
 *
 *     threads_run(count, scan_blocks, workers, sizeof *workers);     // and wait for all
 *
 *     threads_start(&group, count, scan_files, scanners, sizeof *scanners);
 *     ... other work ...
 *     threads_join(&group);
 *
 * The system may start fewer threads than requested. The work must be divided so that the existing
 * threads do all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_THREADS_H
#define SIMHASH_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "simhash.h"

#define THREADS_MAX 1024

/*
 * Return the number of processors of this machine, at most THREADS_MAX: the default number of
 * threads.
 */
unsigned processors(void);

typedef void *thread_fn(void *context);

struct thread_group {
	pthread_t *threads;
	unsigned count; /* the number of started threads */
};

/*
 * Start up to `count` threads. Thread i gets the address of item i of `contexts`, whose items have
 * `context_size` bytes; with size 0 all threads get `contexts`. Returns the number of started
 * threads, or 0 if none started.
 */
unsigned threads_start(struct thread_group *group, unsigned count, thread_fn *run, void *contexts,
		       size_t context_size);

/* Wait until all threads have ended. */
void threads_join(struct thread_group *group);

/*
 * Run the first context on the caller's thread, and the others on new threads. Returns when all
 * end.
 */
void threads_run(unsigned count, thread_fn *run, void *contexts, size_t context_size);

/* The first error of threads that share work. All threads check it, and end. */
struct first_error {
	atomic_flag is_taken; /* set by the thread that has the error */
	atomic_bool is_set;
	struct simhash_error *error; /* read it only when all threads have ended */
};

void first_error_init(struct first_error *first, struct simhash_error *error);

/* Any thread may call this. Later errors are ignored. */
void first_error_set(struct first_error *first, const struct simhash_error *error);

bool first_error_is_set(struct first_error *first);

#endif
