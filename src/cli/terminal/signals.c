/*
 * The handlers of SIGINT, SIGTERM and SIGHUP, and of SIGBUS.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/files/open_file.h"
#include "base/text/escape.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "report/lists/output_file.h"

#define SAME_ORDER_NS (200 * NS_PER_MS)
#define WATCH_NS (400 * NS_PER_MS) /* twice, and a call that began between two looks is seen */

atomic_bool stop_requested;
struct server_calls server_calls;
static const char *failing_program = "";
static volatile sig_atomic_t stop_signal;
static timer_t watch_timer;
static bool has_timer;

/* The call that waits: the number of those that have ended. */
static atomic_ulong waiting_call;
static atomic_bool is_call_waiting;

static void put(const char *text)
{
	/* A failure cannot be reported: this is the report. */
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static void tidy_up(void)
{
	if (has_status())
		put(ERASE_LINE);
	outputs_remove();
	pager_wait_at_signal();
}

/* Look at the calls again, in a while. */
static void watch_later(void)
{
	const struct itimerspec once = {.it_value.tv_nsec = WATCH_NS};

	if (!has_timer || timer_settime(watch_timer, 0, &once, NULL) != 0)
		alarm(1);
}

/* Is the call that waited at the last look still waiting? */
static bool watch_calls(void)
{
	unsigned long ended = atomic_load(&server_calls.ended);
	bool is_waiting = atomic_load(&server_calls.begun) != ended;
	bool was_waiting = atomic_exchange(&is_call_waiting, is_waiting);

	watch_later();
	return atomic_exchange(&waiting_call, ended) == ended && was_waiting && is_waiting;
}

/*
 * A signal right after the first is the same order given twice: timeout(1) signals the program,
 * then its process group.
 */
static void on_stop(int number)
{
	static int64_t first_ns;
	int64_t now_ns = clock_monotonic_ns();

	if (stop_signal == 0) {
		first_ns = now_ns;
		stop_signal = number;
		atomic_store(&stop_requested, true);
		(void)watch_calls();
	} else if (now_ns - first_ns >= SAME_ORDER_NS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static bool is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void on_alarm(int number)
{
	(void)number;
	if (!watch_calls())
		return;
	tidy_up();
	put(failing_program);
	put(": interrupted; the server does not answer; only what it has committed is stored\n");
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}

void catch_signals(void)
{
	struct sigaction watch = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct sigaction action = {.sa_handler = on_stop};

	/* The handler does not interrupt itself. */
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	sigemptyset(&watch.sa_mask);
	sigaction(SIGALRM, &watch, NULL);
	if (!has_timer) /* that sends SIGALRM */
		has_timer = timer_create(CLOCK_MONOTONIC, NULL, &watch_timer) == 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!is_ignored(SIGHUP)) /* as nohup has it */
		sigaction(SIGHUP, &action, NULL);
}

int signal_exit_status(void)
{
	return 128 + stop_signal;
}

void end_by_signal(const char *program, const char *message)
{
	say(program, message);
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}

/* ---- Signals that end a program ---- */

/* The signal is blocked in its handler and ends the program after it. */
static void on_end(int number)
{
	tidy_up();
	raise(number);
}

void tidy_up_at_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
	struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!is_ignored(numbers[i]))
			sigaction(numbers[i], &action, NULL);
}

/* ---- Bus errors ---- */

static char *index_names; /* "sqlite:A or sqlite:B" */
static char *message;	  /* put together beforehand: a signal handler cannot */

/* Several threads may come here at once: the first reports, and the others wait for the end. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	static atomic_flag is_reported = ATOMIC_FLAG_INIT;

	(void)context;
	if (message == NULL || (info->si_code != BUS_ADRERR && info->si_code != BUS_OBJERR)) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	while (atomic_flag_test_and_set(&is_reported))
		pause();
	tidy_up();
	put(message);
	_exit(EXIT_FAILURE);
}

void end_at_bus_error(const char *program)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	failing_program = program;
	action.sa_sigaction = on_bus_error;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

void name_index(const char *url)
{
	static const char format[] = "%s: cannot use index %s: its shared memory file cannot be "
				     "written: the disk is full, over quota or damaged\n";
	char *names = NULL, *text;
	size_t size;
	FILE *memory;

	/* Of a server's index nothing is mapped. */
	if (strncmp(url, "sqlite:", strlen("sqlite:")) != 0)
		return;
	memory = open_memstream(&names, &size);
	if (memory == NULL)
		return;
	if (index_names != NULL)
		fprintf(memory, "%s or ", index_names);
	write_escaped(memory, (struct bytes){url, strlen(url)});
	if (close_text(memory, &names) != 0)
		return;
	size = sizeof format + strlen(failing_program) + strlen(names);
	text = malloc(size);
	if (text != NULL)
		snprintf(text, size, format, failing_program, names);
	free(index_names);
	free(message);
	index_names = names;
	message = text;
}

void ignore_size_signal(void)
{
	signal(SIGXFSZ, SIG_IGN);
}
