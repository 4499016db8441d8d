/*
 * Runs the program simkeep, which acts on copies by rules or decisions, and undoes its acts. This
 * file parses the options, runs the task, and reports errors.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/memory.h"
#include "cli/review/review.h"
#include "cli/simkeep/acting.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/summary.h"
#include "cli/terminal/terminal.h"
#include "scan/archive/sandbox.h"

#define PROGRAM "simkeep"

static void warn(void *context, const char *message)
{
	(void)context;
	say(PROGRAM, message);
}

/* A script must not replace a file that is read. */
static int check_script(const struct keep_arguments *arguments, struct simhash_error *error)
{
	const char *path = arguments->script_path;

	if (input_check_output(arguments->decisions_path, "it has the decisions of --decisions",
			       path, error) != 0 ||
	    index_check_output(&arguments->index, path, error) != 0)
		return -1;
	return operands_check_output(&arguments->operands, path, error);
}

static int act(const struct keep_arguments *arguments, bool *had_left, struct simhash_error *error)
{
	char host[HOST_NAME_SIZE];
	struct acting acting = {.arguments = arguments};
	int status;

	if (check_script(arguments, error) != 0 ||
	    (arguments->reviews && review_check(error) != 0) ||
	    choose_host(arguments->index.host, host, error) != 0)
		return -1;
	status = acting_begin(&acting, arguments, error);
	if (status == 0)
		status = arguments->decisions_path != NULL && !arguments->reviews
				 ? apply_decisions(&acting, host, error)
			 : arguments->heal	   ? heal_damaged(&acting, host, error)
			 : arguments->into != NULL ? make_one_tree(&acting, host, error)
						   : act_on_copies(&acting, host, error);
	/* A list of folders does not ask for acts, so copies that cannot be removed are not failures. */
	*had_left = (acting.left > 0 && !acting_lists_folders(&acting)) || acting.unreadable > 0;
	/* A DIR that is not empty afterwards must not look as if it could be removed. */
	if (acting.tools.left_out > 0 && arguments->into != NULL)
		*had_left = true;
	acting_end(&acting);
	return status;
}

int main(int argc, char **argv)
{
	struct keep_arguments arguments;
	struct simhash_error error;
	bool had_left = false;
	int status;

	if (sandbox_is_meant(argc, argv))
		return sandbox_serve();
	memory_return_large();
	begin_signals();
	end_at_bus_error(PROGRAM);
	tidy_up_at_signals();
	keep_arguments_init(&arguments);
	arguments.index.location.warning = warn;
	status = choose_kernel(&error);
	if (status == 0)
		status = keep_arguments_parse(&arguments, argc, argv, &error);
	if (status > 0)
		status = finish_output(&error);
	else if (status == 0)
		status = arguments.undo_path != NULL ? undo_acts(&arguments, &had_left, &error)
						     : act(&arguments, &had_left, &error);
	if (status != 0)
		say(PROGRAM, error.message);
	keep_arguments_release(&arguments);
	if (status != 0)
		return EXIT_FAILURE;
	return had_left ? EXIT_UNREADABLE : EXIT_SUCCESS;
}
