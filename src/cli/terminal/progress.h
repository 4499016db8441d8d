/*
 * Shows the progress of the work at the bottom of the terminal. A thread redraws the line ten times
 * a second.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PROGRESS_H
#define SIMHASH_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Write the line with at most `columns` columns, `seconds` after the start. */
typedef void progress_fn(void *context, FILE *line, double seconds, unsigned columns);

struct progress_display {
	progress_fn *write;
	void *context;
	bool is_running, at_once;
	int64_t start_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_over;
};

/* Is progress shown? PROGRESS_AUTO shows it on a terminal that can redraw a line. */
bool progress_is_wanted(enum progress_mode mode, bool is_quiet);

/*
 * Show progress from now on. Unless the mode is PROGRESS_ALWAYS, the line appears only after a
 * moment.
 */
void progress_start(struct progress_display *display, enum progress_mode mode, progress_fn *write,
		    void *context);

/* Erase the line. Does nothing if progress was not started or has stopped. */
void progress_stop(struct progress_display *display);

/* Units of work per second, smoothed over some seconds. */
struct progress_rate {
	double seconds, done, rate;
	bool has_rate;
};
double progress_rate(struct progress_rate *rate, double seconds, double done);

#endif
