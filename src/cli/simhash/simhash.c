/*
 * The program simhash: indexes trees of files (paper, 4.1: SimHash). It parses the options, runs
 * the requested task, and reports errors.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "cli/indexing/index_paths.h"
#include "cli/options/index_options.h"
#include "cli/options/options.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "scan/archive/sandbox.h"

#define PROGRAM "simhash"

static void warn(void *context, const char *message)
{
	(void)context;
	say(PROGRAM, message);
}

static int run(const struct index_arguments *arguments, int *ending, struct simhash_error *error)
{
	bool had_unreadable = false;
	int status;

	switch (arguments->task) {
	case TASK_STATUS:
		return show_index(arguments, error);
	case TASK_SCRUB:
		return scrub(arguments, ending, error);
	case TASK_FORGET:
		return forget(arguments, error);
	case TASK_PRINT:
		status = print_files(arguments, &had_unreadable, error);
		break;
	case TASK_INIT_DATABASE:
		return init_database(arguments, error);
	case TASK_COPY:
		return copy_database(arguments, error);
	case TASK_EXPORT:
		return export_digests(arguments, error);
	case TASK_IMPORT:
		return import_digests(arguments, error);
	case TASK_INDEX:
	default:
		status = index_paths(arguments, &had_unreadable, error);
		if (status == 0 && !arguments->quiet && arguments->summary == SUMMARY_TEXT)
			say_next("simfind", arguments->request.location.url, NULL,
				 "lists similar files.");
	}
	*ending = had_unreadable ? EXIT_UNREADABLE : EXIT_SUCCESS;
	return status;
}

int main(int argc, char **argv)
{
	struct index_arguments arguments;
	struct simhash_error error;
	int status, ending = EXIT_SUCCESS;

	if (sandbox_is_meant(argc, argv))
		return sandbox_serve();
	begin_signals();
	end_at_bus_error(PROGRAM);
	index_arguments_init(&arguments);
	arguments.request.location.warning = warn;
	arguments.sandbox.warning = warn;
	status = choose_kernel(&error);
	if (status == 0)
		status = index_arguments_parse(&arguments, argc, argv, &error);
	if (status == 0)
		status = run(&arguments, &ending, &error);
	index_arguments_release(&arguments);
	if (status >= 0)
		status = finish_output(&error);
	if (status != 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	return ending;
}
