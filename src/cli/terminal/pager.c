/*
 * Runs the pager as a child process that reads standard output from a pipe.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/path.h"
#include "cli/terminal/terminal.h"

static _Atomic(pid_t) pager; /* 0: none */
static int terminal = -1;    /* the original stdout */

/*
 * Can the first word of a command be found? Commands that only a shell understands are left to the
 * shell.
 */
static bool is_runnable(const char *command)
{
	size_t size = strcspn(command, " \t");
	const char *folders = getenv("PATH");
	bool found = false;

	if (strcspn(command, "|&;<>()$`\\\"'*?[#~=%") < size)
		return true;
	if (memchr(command, '/', size) != NULL)
		folders = "";
	while (!found && folders != NULL) {
		struct bytes folder = {folders, strcspn(folders, ":")};
		char *path = memchr(command, '/', size) != NULL
				     ? strndup(command, size)
				     : path_join(folder, (struct bytes){command, size});
		found = path != NULL && access(path, X_OK) == 0;
		free(path);
		folders = folders[folder.size] == ':' ? folders + folder.size + 1 : NULL;
	}
	return found;
}

/* Return the command of the pager, or NULL for no pager. */
static const char *choose(const char *program)
{
	const char *command = getenv("PAGER"), *type = getenv("TERM");
	char text[512];

	if (type == NULL || strcmp(type, "dumb") == 0)
		return NULL;
	if (command == NULL)
		return is_runnable("less") ? "less" : NULL;
	if (command[strspn(command, " \t")] == '\0' || strcmp(command, "cat") == 0)
		return NULL;
	if (is_runnable(command))
		return command;
	snprintf(text, sizeof text, "cannot run the pager '%s', which $PAGER names", command);
	say(program, text);
	return NULL;
}

/*
 * Set the defaults that git also sets: less shows colours, and leaves output on the screen if it
 * fits.
 */
static void set_defaults(void)
{
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
}

static void run(const char *command, const int pipe_ends[2])
{
	dup2(pipe_ends[0], STDIN_FILENO);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_start(const char *program)
{
	const char *command = choose(program);
	int pipe_ends[2];

	if (command == NULL || fflush(stdout) != 0)
		return;
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (terminal < 0)
		return;
	if (pipe(pipe_ends) != 0) {
		close(terminal);
		return;
	}
	set_defaults();
	pager = fork();
	if (pager == 0)
		run(command, pipe_ends);
	if (pager > 0)
		dup2(pipe_ends[1], STDOUT_FILENO);
	else
		pager = 0; /* without a pager, the output is still written */
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

void pager_finish(void)
{
	pid_t process = pager;

	if (process == 0)
		return;
	fflush(stdout); /* a failure was reported, or ends the program */
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

void pager_wait_at_signal(void)
{
	if (pager == 0)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
