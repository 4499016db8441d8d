/*
 * The progress line: it shows at the bottom of the terminal how far the work is. A thread redraws
 * it ten times a second.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PROGRESS_H
#define SIMHASH_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Write the line, of at most `columns` columns, `seconds` after the start. */
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

/* Show it from now on; unless with PROGRESS_ALWAYS, only once the work takes a moment. */
void progress_start(struct progress_display *display, enum progress_mode mode, progress_fn *write,
		    void *context);

/* Erase the line. Does nothing where it was not started, or is stopped already. */
void progress_stop(struct progress_display *display);

/* Units of work per second, smoothed over some seconds. */
struct progress_rate {
	double seconds, done, rate;
	bool has_rate;
};
double progress_rate(struct progress_rate *rate, double seconds, double done);

#endif
