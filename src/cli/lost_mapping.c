/*
 * Reporting a bus error of a mapped file, and ending the program.
 * SPDX-License-Identifier: MIT
 */
#include "cli/lost_mapping.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/open_file.h"
#include "cli/terminal.h"

static const char *failing_program = "";
static char *index_names; /* "sqlite:A or sqlite:B" */
static char *message;	  /* put together beforehand: a signal handler cannot */

static void put(const char *text)
{
	/* A failure cannot be reported: this is the report. */
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

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
	if (has_status())
		put(ERASE_LINE);
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
