/*
 * Writes the progress line of simhash.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INDEX_PROGRESS_H
#define SIMHASH_CLI_INDEX_PROGRESS_H

#include <stdatomic.h>

#include "cli/terminal/progress_line.h"
#include "index/walk/progress.h"

struct shown_progress {
	struct index_progress *progress;
	const atomic_int *waiting; /* connections that wait for the server */
	struct time_left left;
	struct progress_rate speed; /* the speed of reading */
};

/* A progress_fn; its context is a struct shown_progress. */
void write_index_progress(void *context, FILE *line, double seconds, unsigned columns);

#endif
