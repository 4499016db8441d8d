/*
 * Catches SIGINT, SIGTERM, SIGHUP and SIGBUS, and ends the program if it does not react in time.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/signals.h"

#include <poll.h>
#include <pthread.h>
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
#define LOOK_NS (200 * NS_PER_MS)
#define SILENT_LOOKS 2 /* more than one, because the server may be writing a transaction */
#define IDLE_LOOKS 3   /* more than two, because other programs may use the processors */
/* An idle program uses less time between two looks; the progress line needs even less. */
#define IDLE_CPU_NS (2 * NS_PER_MS)
#define HUNG_LOOKS 4
#define HUNG_ACT_LOOKS 50 /* a slow disk may take seconds to write the journal */
#define THREAD_STACK (256 * 1024)
#define WRITE_MS 50 /* the longest wait for a full standard error */

atomic_bool stop_requested, acts_are_under_way;
struct store_calls server_calls, disk_calls;
static const char *failing_program = "";
static atomic_int stop_signal;
static timer_t look_timer;
static bool has_timer;

/* The state of the program at one moment. */
struct activity {
	unsigned long server_ended, disk_ended; /* the numbers of calls that ended */
	bool server_waits, disk_works;
	int64_t cpu_ns;
};

static struct activity last_look;
static int silent_looks, idle_looks; /* consecutive looks without a change */

static void put(const char *text)
{
	static bool is_full; /* standard error is full, because no program reads it */
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t ignored = 0;

	if (!is_full)
		is_full = poll(&ready, 1, WRITE_MS) == 0;
	/* A failure here cannot be reported, because this is the report. */
	if (!is_full)
		ignored = write(STDERR_FILENO, text, strlen(text));
	(void)ignored;
}

static void tidy_up(void)
{
	if (has_status())
		put(ERASE_LINE);
	outputs_remove();
	pager_wait_at_signal();
}

/* SIGALRM signals the time for the next look. */
static void look_later(void)
{
	const struct itimerspec once = {.it_value.tv_nsec = LOOK_NS};

	if (!has_timer || timer_settime(look_timer, 0, &once, NULL) != 0)
		alarm(1);
}

static struct activity look_now(void)
{
	struct activity look = {.server_ended = atomic_load(&server_calls.ended),
				.disk_ended = atomic_load(&disk_calls.ended)};
	struct timespec cpu = {0};

	look.server_waits = atomic_load(&server_calls.begun) != look.server_ended;
	look.disk_works = atomic_load(&disk_calls.begun) != look.disk_ended;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	look.cpu_ns = clock_ns(cpu.tv_sec, cpu.tv_nsec);
	return look;
}

/* Describes what does not answer; NULL if the program works, or has not waited long. */
static const char *find_wait(void)
{
	struct activity look = look_now();
	bool has_called = look.server_ended != last_look.server_ended ||
			  look.disk_ended != last_look.disk_ended;
	bool is_silent = look.server_waits && last_look.server_waits &&
			 look.server_ended == last_look.server_ended;
	bool is_idle = !look.server_waits && !look.disk_works && !has_called &&
		       look.cpu_ns - last_look.cpu_ns < IDLE_CPU_NS;

	silent_looks = is_silent ? silent_looks + 1 : 0;
	idle_looks = is_idle ? idle_looks + 1 : 0;
	last_look = look;
	return silent_looks >= SILENT_LOOKS ? "the server"
	       : idle_looks >= IDLE_LOOKS   ? "a file or a pipe"
					    : NULL;
}

/*
 * A signal right after the first one is the same request: timeout(1) signals the program and then
 * its process group.
 */
static void on_stop(int number)
{
	static int64_t first_ns;
	int64_t now_ns = clock_monotonic_ns();

	if (stop_signal == 0) {
		first_ns = now_ns;
		stop_signal = number;
		atomic_store(&stop_requested, true);
		last_look = look_now();
		look_later();
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
	const char *wait = find_wait();

	(void)number;
	if (wait == NULL) {
		look_later();
		return;
	}
	tidy_up();
	put(failing_program);
	put(": interrupted; ");
	put(wait);
	put(" does not answer; only what it has committed is stored\n");
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}

static void set_caught(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGALRM);
}

static void unblock_signals(void)
{
	sigset_t caught;

	set_caught(&caught);
	pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
}

/* ---- The thread that takes the signals ---- */

/* A thread that waits for a file on a network file system may not be able to take a signal. */
static pthread_t taker;
static bool has_taker;

static void *take_signals(void *unused)
{
	while (pause() < 0)
		;
	return unused;
}

static bool start_thread(pthread_t *thread, void *(*run)(void *))
{
	pthread_attr_t attributes;
	bool is_started;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	is_started = pthread_create(thread, &attributes, run, NULL) == 0;
	pthread_attr_destroy(&attributes);
	return is_started;
}

/* If the thread cannot be started, every thread takes signals. */
static void start_taker(void)
{
	sigset_t caught;

	if (!has_taker)
		has_taker = start_thread(&taker, take_signals);
	set_caught(&caught);
	if (has_taker)
		pthread_sigmask(SIG_BLOCK, &caught, NULL);
}

/* simfind blocks signals in the acting thread during an act, so no other thread may take them. */
static void end_taker(void)
{
	if (!has_taker)
		return;
	pthread_cancel(taker);
	pthread_join(taker, NULL);
	has_taker = false;
	unblock_signals();
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
	if (!has_timer) /* the timer that sends SIGALRM */
		has_timer = timer_create(CLOCK_MONOTONIC, NULL, &look_timer) == 0;
	start_taker();
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!is_ignored(SIGHUP)) /* nohup makes the program ignore SIGHUP */
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
	unblock_signals();
	raise(stop_signal);
}

/* ---- Signals that end a program ---- */

/* The signal is blocked in its handler and ends the program after it. */
static void on_end(int number)
{
	tidy_up();
	raise(number);
}

/* ---- Signals that the main thread cannot take ---- */

static pthread_t main_thread;

static int64_t main_cpu_ns(void)
{
	struct timespec cpu = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(main_thread, &clock) == 0)
		clock_gettime(clock, &cpu);
	return clock_ns(cpu.tv_sec, cpu.tv_nsec);
}

/* A signal that waits to be taken; 0 if there is none. */
static int pending_signal(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigismember(&pending, numbers[i]) == 1 && !is_ignored(numbers[i]))
			return numbers[i];
	return 0;
}

/*
 * End the program if a signal waits while the main thread does nothing. An unfinished act continues
 * as long as the system answers; a file that does not answer ends the wait.
 */
static void *watch_pending(void *unused)
{
	int64_t last_ns = 0;
	int number = 0;

	for (int looks = 0;
	     looks < (atomic_load(&acts_are_under_way) ? HUNG_ACT_LOOKS : HUNG_LOOKS);) {
		int64_t now_ns = main_cpu_ns();
		number = pending_signal();
		looks = number != 0 && now_ns == last_ns ? looks + 1 : 0;
		last_ns = now_ns;
		clock_sleep_ns(LOOK_NS);
	}
	tidy_up();
	put(failing_program);
	put(": interrupted; a file does not answer\n");
	signal(number, SIG_DFL);
	unblock_signals();
	raise(number);
	return unused;
}

static void start_watch(void)
{
	static bool has_watch;
	sigset_t caught, before;
	pthread_t watch;

	if (has_watch)
		return;
	main_thread = pthread_self();
	set_caught(&caught);
	pthread_sigmask(SIG_BLOCK, &caught, &before); /* the new thread takes no signals */
	has_watch = start_thread(&watch, watch_pending);
	if (has_watch)
		pthread_detach(watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tidy_up_at_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
	struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND};

	end_taker();
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!is_ignored(numbers[i]))
			sigaction(numbers[i], &action, NULL);
	start_watch();
}

/* ---- Bus errors ---- */

static char *index_names; /* "sqlite:A or sqlite:B" */
static char *message;	  /* made in advance, because a signal handler cannot do it */

/* Several threads may come here at once: the first one reports, and the others wait for the end. */
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

	/* The index on a server is not mapped. */
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

void begin_signals(void)
{
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}
