/*
 * The thread behind the progress line.
 * SPDX-License-Identifier: MIT
 */
#include "cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text_stream.h"
#include "cli/terminal.h"

#define REDRAW_S 0.1 /* at most ten times a second */
#define BEGIN_S 0.4  /* what is over by then needs no line */
#define SMOOTHED_S 3.0

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

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
	FILE *line = open_memstream(&text, &size);

	if (line == NULL)
		return;
	/* The last column stays free: some terminals wrap when it is written. */
	display->write(display->context, line, now() - display->start, terminal_columns() - 1);
	if (close_text(line, &text) == 0)
		show_status(text);
	free(text);
}

static void *display_main(void *argument)
{
	struct progress_display *display = argument;
	double next = display->start + (display->at_once ? 0 : BEGIN_S);

	pthread_mutex_lock(&display->lock);
	while (!display->is_over) {
		double rest = next - now();
		if (rest > 0) {
			struct timespec until;
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += (long)(fmin(rest, 0.9) * 1e9);
			until.tv_sec += until.tv_nsec / 1000000000;
			until.tv_nsec %= 1000000000;
			pthread_cond_timedwait(&display->changed, &display->lock, &until);
			continue;
		}
		pthread_mutex_unlock(&display->lock);
		draw(display);
		next = now() + REDRAW_S;
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
	display->start = now();
	pthread_mutex_init(&display->lock, NULL);
	pthread_cond_init(&display->changed, NULL);
	/* Without a thread there is no line. */
	display->is_running = pthread_create(&display->thread, NULL, display_main, display) == 0;
}

static void on_signal(int number)
{
	static const char erase[] = "\r\x1b[K";
	/* Were it to fail, the line would stay. */
	ssize_t ignored = write(STDERR_FILENO, erase, sizeof erase - 1);

	(void)ignored;
	raise(number);
}

void progress_end_by_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
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
	/* Asked for always, it is seen at least once, and complete. */
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

	if (passed < REDRAW_S / 2)
		return rate->rate;
	if (!rate->has_rate) {
		rate->rate = done / fmax(seconds, 0.001);
		rate->has_rate = seconds > BEGIN_S;
	} else {
		double share = 1 - exp(-passed / SMOOTHED_S);
		rate->rate += share * ((done - rate->done) / passed - rate->rate);
	}
	rate->seconds = seconds;
	rate->done = done;
	return rate->rate;
}
