/*
 * The handler of SIGINT and SIGTERM.
 * SPDX-License-Identifier: MIT
 */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "cli/terminal.h"

#define SAME_ORDER_NS (200 * NS_PER_MS)

atomic_bool stop_requested;
static volatile sig_atomic_t stop_signal;

/*
 * A signal right after the first is the same order given twice: timeout(1) signals the program,
 * then its process group.
 */
static void on_signal(int number)
{
	static int64_t first_ns;
	int64_t now_ns = clock_monotonic_ns();

	if (stop_signal == 0) {
		first_ns = now_ns;
		stop_signal = number;
		atomic_store(&stop_requested, true);
	} else if (now_ns - first_ns >= SAME_ORDER_NS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	/* The handler does not interrupt itself. */
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void end_by_signal(const char *program, const char *message)
{
	say(program, message);
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}
