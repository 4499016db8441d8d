/*
 * Runs one process with pipes for its output and its errors. Between fork and exec it calls only
 * functions that a signal handler may call, because other threads may hold locks.
 * SPDX-License-Identifier: MIT
 */
#include "scan/command/filter_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/basic/clock.h"
#include "base/files/open_file.h"
#include "scan/file/content.h"

#define POLL_MS 50 /* the interval at which to check for a stop */
#define LINE_MAX_BYTES 400

extern char **environ;

struct filter_run {
	struct file_scanner *scanner;
	const struct filter_command *command;
	const struct filter_limits *limits;
	pid_t pid;
	int out, err;		   /* pipes from the command; -1: closed */
	int failed_errno;	   /* the errno of a failed call, or 0 */
	double end_s;		   /* the time limit */
	size_t have;		   /* the number of bytes in the scanner's buffer */
	char last[LINE_MAX_BYTES]; /* the end of its standard error */
	size_t last_size;
	struct content content;
};

enum ending { ENDED, IS_STOPPED, IS_LATE, IS_LONG, HAS_FAILED };

/* ---- The process ---- */

/* Open a pipe. On failure both ends are -1, with errno. */
static int open_pipe(int ends[2])
{
	if (pipe(ends) != 0) {
		ends[0] = ends[1] = -1;
		return -1;
	}
	ends[0] = descriptor_lift(ends[0]);
	ends[1] = descriptor_lift(ends[1]);
	return ends[0] < 0 || ends[1] < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 ? -1 : 0;
}

static void close_ends(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

static void close_others(rlim_t end)
{
#ifdef SIMHASH_HAVE_CLOSE_RANGE
	if (close_range(STDERR_FILENO + 1, ~0u, 0) == 0)
		return;
#endif
	for (int fd = STDERR_FILENO + 1; (rlim_t)fd < end; fd++)
		close(fd);
}

/* Runs in the child. */
static _Noreturn void become(const char *program, char **arguments, int in, int out, int err,
			     rlim_t descriptors)
{
	static const char told[] = "cannot be run\n";
	sigset_t none;

	setpgid(0, 0);
#ifdef __linux__
	/* If simhash is killed, also kill the command. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0) {
		close_others(descriptors);
		execve(program, arguments, environ);
		(void)!write(STDERR_FILENO, told, sizeof told - 1);
	}
	_exit(127);
}

/* Start the command. -1 with errno. */
static int start(struct filter_run *run, int fd, const char *path)
{
	const struct filter_command *command = run->command;
	char **arguments = filter_arguments(command, path);
	int out[2] = {-1, -1}, err[2] = {-1, -1}, in = -1, saved;
	struct rlimit limit = {.rlim_cur = 1024};

	getrlimit(RLIMIT_NOFILE, &limit);
	/* Do not close our own descriptors here: see close_content. */
	in = command->names_file  ? descriptor_lift(open("/dev/null", O_RDONLY | O_CLOEXEC))
	     : fd > STDERR_FILENO ? fd
				  : descriptor_lift(dup(fd));
	run->pid = -1;
	if (arguments != NULL && in >= 0 && open_pipe(out) == 0 && open_pipe(err) == 0)
		run->pid = fork();
	if (run->pid == 0)
		become(command->program, arguments, in, out[1], err[1], limit.rlim_cur);
	saved = errno;
	free(arguments);
	if (in >= 0 && in != fd)
		close(in);
	if (run->pid < 0) {
		close_ends(out);
		close_ends(err);
		errno = saved;
		return -1;
	}
	/* The child does the same, because it is unknown which process runs first. */
	setpgid(run->pid, run->pid);
	close(out[1]);
	close(err[1]);
	run->out = out[0];
	run->err = err[0];
	return 0;
}

/* ---- The output ---- */

/* After a read: close the descriptor at the end, or after a failure. */
static void close_at_end(struct filter_run *run, int *fd, ssize_t got)
{
	bool goes_on = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));

	if (goes_on)
		return;
	run->failed_errno = got < 0 ? errno : run->failed_errno;
	close(*fd);
	*fd = -1;
}

static void read_error(struct filter_run *run)
{
	char bytes[LINE_MAX_BYTES];
	ssize_t got = read(run->err, bytes, sizeof bytes);

	close_at_end(run, &run->err, got);
	for (ssize_t i = 0; i < got; i++) {
		bool begins = run->last_size > 0 && run->last[run->last_size - 1] == '\n' &&
			      bytes[i] != '\n';
		if (begins)
			run->last_size = 0;
		if (run->last_size < sizeof run->last - 1 &&
		    (bytes[i] != '\n' || run->last_size > 0))
			run->last[run->last_size++] = bytes[i];
	}
}

static void read_output(struct filter_run *run)
{
	uint8_t *buffer = run->scanner->buffer;
	ssize_t got = read(run->out, buffer + run->have, FILE_SCANNER_BUFFER - run->have);

	close_at_end(run, &run->out, got);
	run->have += got > 0 ? (size_t)got : 0;
	if (run->have == FILE_SCANNER_BUFFER) {
		content_add(&run->content, run->have, false);
		run->have = 0;
	}
}

/* Return the reason to stop reading before the end, or ENDED. */
static enum ending must_end(const struct filter_run *run)
{
	if (run->failed_errno != 0)
		return HAS_FAILED;
	if (atomic_load_explicit(run->scanner->stop, memory_order_relaxed))
		return IS_STOPPED;
	if (clock_monotonic_s() > run->end_s)
		return IS_LATE;
	return run->content.row->size_bytes + (int64_t)run->have > run->limits->bytes ? IS_LONG
										      : ENDED;
}

static enum ending read_all(struct filter_run *run)
{
	enum ending ending = ENDED;

	while (ending == ENDED && (run->out >= 0 || run->err >= 0)) {
		struct pollfd ends[2] = {{.fd = run->out, .events = POLLIN},
					 {.fd = run->err, .events = POLLIN}};
		if (poll(ends, 2, POLL_MS) > 0) {
			if (ends[0].revents != 0)
				read_output(run);
			if (ends[1].revents != 0)
				read_error(run);
		}
		ending = must_end(run);
	}
	return ending;
}

/*
 * Wait until the process has ended, but do not reap it, so nobody else can get its process group.
 */
static enum ending wait_for_end(const struct filter_run *run)
{
	const struct timespec moment = {.tv_nsec = 2000000};
	enum ending ending = ENDED;

	while (ending == ENDED) {
		siginfo_t info = {.si_pid = 0};
		int status = waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (status != 0 ? errno != EINTR : info.si_pid != 0)
			return ENDED;
		nanosleep(&moment, NULL);
		ending = must_end(run);
	}
	return ending;
}

/* Kill the rest of the group. Returns the status of the command. */
static int reap(struct filter_run *run)
{
	int status = 0;
	pid_t reaped;

	kill(-run->pid, SIGKILL);
	do
		reaped = waitpid(run->pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	if (reaped < 0 && run->failed_errno == 0)
		run->failed_errno = errno;
	if (run->out >= 0)
		close(run->out);
	if (run->err >= 0)
		close(run->err);
	return status;
}

/* ---- The result ---- */

static const char *program_name(const struct filter_run *run)
{
	const char *slash = strrchr(run->command->program, '/');

	return slash == NULL ? run->command->program : slash + 1;
}

static char *explain(struct filter_run *run, enum ending ending, int status)
{
	char *text = NULL;
	size_t size = run->last_size;
	FILE *out;

	while (size > 0 && run->last[size - 1] == '\n')
		size--;
	run->last[size] = '\0';
	out = open_memstream(&text, &run->last_size);
	if (out == NULL)
		return NULL;
	fprintf(out, "%s ", program_name(run));
	if (ending == IS_LATE)
		fprintf(out, "took more than %u s: see --limits=seconds=N", run->limits->seconds);
	else if (ending == IS_LONG)
		fprintf(out, "printed more than --limits=output=SIZE allows");
	else if (run->failed_errno != 0)
		fprintf(out, "cannot be run to its end: %s", strerror(run->failed_errno));
	else if (WIFSIGNALED(status))
		fprintf(out, "was ended by signal %d", WTERMSIG(status));
	else
		fprintf(out, "ended with status %d", WEXITSTATUS(status));
	if (ending == ENDED && run->failed_errno == 0 && size > 0)
		fprintf(out, ": %s", run->last);
	return close_text(out, &text) == 0 ? text : NULL;
}

static char *explain_start(const struct filter_run *run, int system_errno)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fprintf(out, "cannot run %s: %s", program_name(run), strerror(system_errno));
	return close_text(out, &text) == 0 ? text : NULL;
}

enum scan_outcome scan_filtered(struct file_scanner *scanner, const struct filter_command *command,
				const struct filter_limits *limits, int fd, const char *path,
				struct file_row *row, char **why)
{
	struct filter_run run = {.scanner = scanner, .command = command, .limits = limits};
	enum ending ending;
	int status;

	*why = NULL;
	content_begin(&run.content, scanner, row);
	run.end_s = clock_monotonic_s() + limits->seconds;
	if (start(&run, fd, path) != 0) {
		*why = explain_start(&run, errno);
		return SCAN_FAILED;
	}
	ending = read_all(&run);
	if (ending == ENDED)
		ending = wait_for_end(&run);
	status = reap(&run);
	if (ending == IS_STOPPED)
		return SCAN_STOPPED;
	if (ending != ENDED || run.failed_errno != 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0) {
		*why = explain(&run, ending, status);
		return SCAN_FAILED;
	}
	content_add(&run.content, run.have, true);
	return content_end(&run.content);
}
