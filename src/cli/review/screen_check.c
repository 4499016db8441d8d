/*
 * Checks whether there is a full screen, before anything is read.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/error.h"
#include "cli/review/screen.h"

#ifdef SIMHASH_HAVE_CURSES
#include <curses.h>
#include <stdlib.h>
#include <unistd.h>

/* Its names are macros, so no other header of the project can follow it. */
#include <term.h>

bool screen_is_built_in(void)
{
	return true;
}

int screen_check(struct simhash_error *error)
{
	const char *name = getenv("TERM");
	bool is_suitable = false;
	int status;

	if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--review needs a terminal for input and output; without a "
				 "terminal, use --keep, or the page of simfind --format=html");
	if (setupterm(name, STDOUT_FILENO, &status) == OK) {
		is_suitable = cursor_address != NULL;
		del_curterm(cur_term);
	}
	if (!is_suitable)
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"--review needs a terminal that can place its cursor; TERM is '%s'",
			name == NULL ? "" : name);
	return 0;
}

#else

bool screen_is_built_in(void)
{
	return false;
}

int screen_check(struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE,
			 "--review is not built in: this simkeep was built without ncurses");
}

#endif
