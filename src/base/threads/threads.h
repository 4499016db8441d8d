/*
 * Runs several threads that do the same work, each with its own context.
 *
 *     threads_run(count, scan_blocks, workers, sizeof *workers);     // and wait for all
 *
 *     threads_start(&group, count, scan_files, scanners, sizeof *scanners);
 *     ... work of the caller's ...
 *     threads_join(&group);
 *
 * If the system starts fewer threads than asked for, fewer threads do the work: the work must be
 * divided so that the threads that exist do all of it.
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

/* How many processors this machine has, at most THREADS_MAX: the default number of threads. */
unsigned processors(void);

typedef void *thread_fn(void *context);

struct thread_group {
	pthread_t *threads;
	unsigned count; /* that were started */
};

/*
 * Start up to `count` threads. Thread i is given the address of item i of `contexts`, which has
 * items of `context_size` bytes; with 0 all are given `contexts` itself. Returns how many were
 * started, 0 when none could be.
 */
unsigned threads_start(struct thread_group *group, unsigned count, thread_fn *run, void *contexts,
		       size_t context_size);

/* Wait until all have ended. */
void threads_join(struct thread_group *group);

/* Run the first context on the caller's thread and the others beside it; returns at their end. */
void threads_run(unsigned count, thread_fn *run, void *contexts, size_t context_size);

/* The first error of threads that do one piece of work: all look at it, and end. */
struct first_error {
	atomic_flag is_taken; /* by the thread whose error it is */
	atomic_bool is_set;
	struct simhash_error *error; /* to be read when all threads have ended */
};

void first_error_init(struct first_error *first, struct simhash_error *error);

/* Any thread; an error after the first is ignored. */
void first_error_set(struct first_error *first, const struct simhash_error *error);

bool first_error_is_set(struct first_error *first);

#endif
