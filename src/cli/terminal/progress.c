/*
 * Runs the thread that draws the progress line, and measures rates.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/files/open_file.h"
#include "cli/terminal/terminal.h"

#define REDRAW_NS (NS_PER_S / 10)    /* ten times a second */
#define BEGIN_NS (4 * NS_PER_S / 10) /* if the work ends before this time, no line is shown */
#define SMOOTHED_S 3.0
#define MEASURED_S 0.4 /* rates over a shorter time are not used */
#define APART_S 0.05   /* the minimum time between two measured rates */

bool progress_is_wanted(enum progress_mode mode, bool is_quiet)
{
	const char *terminal = getenv("TERM");

	if (is_quiet || mode == PROGRESS_NEVER)
		return false;
	return mode == PROGRESS_ALWAYS ||
	       (isatty(STDERR_FILENO) == 1 && terminal != NULL && strcmp(terminal, "dumb") != 0);
}

static void draw(struct progress_display *display)
{
	char *text = NULL;
	size_t size;
	double seconds = (double)(clock_monotonic_ns() - display->start_ns) / (double)NS_PER_S;
	FILE *line = open_memstream(&text, &size);

	if (line == NULL)
		return;
	/* The last column stays free, because some terminals wrap when it is written. */
	display->write(display->context, line, seconds, terminal_columns() - 1);
	if (close_text(line, &text) == 0)
		show_status(text);
	free(text);
}

static void *display_main(void *argument)
{
	struct progress_display *display = argument;
	int64_t next_ns = display->start_ns + (display->at_once ? 0 : BEGIN_NS);

	pthread_mutex_lock(&display->lock);
	while (!display->is_over) {
		if (clock_monotonic_ns() < next_ns) {
			clock_condition_wait(&display->changed, &display->lock, next_ns);
			continue;
		}
		pthread_mutex_unlock(&display->lock);
		draw(display);
		next_ns = clock_monotonic_ns() + REDRAW_NS;
		pthread_mutex_lock(&display->lock);
	}
	pthread_mutex_unlock(&display->lock);
	return NULL;
}

void progress_start(struct progress_display *display, enum progress_mode mode, progress_fn *write,
		    void *context)
{
	*display = (struct progress_display){.write = write, .context = context};
	display->at_once = mode == PROGRESS_ALWAYS;
	display->start_ns = clock_monotonic_ns();
	pthread_mutex_init(&display->lock, NULL);
	clock_condition_init(&display->changed);
	/* Without a thread, the run continues without a progress line. */
	display->is_running = pthread_create(&display->thread, NULL, display_main, display) == 0;
}

void progress_stop(struct progress_display *display)
{
	if (!display->is_running)
		return;
	pthread_mutex_lock(&display->lock);
	display->is_over = true;
	pthread_cond_signal(&display->changed);
	pthread_mutex_unlock(&display->lock);
	pthread_join(display->thread, NULL);
	/* --progress=always shows at least the last state. */
	if (display->at_once)
		draw(display);
	show_status(NULL);
	pthread_cond_destroy(&display->changed);
	pthread_mutex_destroy(&display->lock);
	display->is_running = false;
}

double progress_rate(struct progress_rate *rate, double seconds, double done)
{
	double passed = seconds - rate->seconds;

	if (passed < APART_S)
		return rate->rate;
	if (!rate->has_rate) {
		rate->rate = done / fmax(seconds, 0.001);
		rate->has_rate = seconds > MEASURED_S;
	} else {
		double share = 1 - exp(-passed / SMOOTHED_S);
		rate->rate += share * ((done - rate->done) / passed - rate->rate);
	}
	rate->seconds = seconds;
	rate->done = done;
	return rate->rate;
}
