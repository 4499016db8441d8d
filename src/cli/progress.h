/*
 * A line on the terminal that tells how far the work is, redrawn ten times a second
 * by a thread of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PROGRESS_H
#define SIMHASH_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Write the present line, of at most `columns` columns; `seconds` since the start. */
typedef void progress_fn(void *context, FILE *line, double seconds, unsigned columns);

struct progress_display {
	progress_fn *write;
	void *context;
	bool is_running, at_once;
	double start;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_over;
};

/* Will progress be shown? By PROGRESS_AUTO only on a terminal that can do it. */
bool progress_is_wanted(enum progress_mode mode, bool is_quiet);

/* Begin to show it; a moment later where it was not asked for by PROGRESS_ALWAYS. */
void progress_start(struct progress_display *display, enum progress_mode mode, progress_fn *write,
		    void *context);

/*
 * Have SIGINT and SIGTERM take the line away before they end the program: for one that
 * does nothing else about them.
 */
void progress_end_by_signals(void);

/* Take the line away. Does nothing on one that never started, or was stopped. */
void progress_stop(struct progress_display *display);

/* What is done a second, smoothed over some seconds. */
struct progress_rate {
	double seconds, done, rate;
	bool has_rate;
};
double progress_rate(struct progress_rate *rate, double seconds, double done);

#endif
