/*
 * Indexes the PATHs of simhash, shows the progress line, and prints the summary.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/shell_word.h"
#include "cli/indexing/index_paths.h"
#include "cli/indexing/index_progress.h"
#include "cli/indexing/index_summary.h"
#include "cli/options/options.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "index/run/index.h"
#include "index/walk/directory.h"
#include "scan/file/container_kind.h"

static void file_failed(void *context, struct bytes path, int system_errno)
{
	const struct index_arguments *arguments = context;

	if (!arguments->quiet || !container_is_left_out(system_errno))
		say_path(arguments->program, path, explain_errno(system_errno));
}

static void filter_failed(void *context, struct bytes path, const char *text)
{
	const struct index_arguments *arguments = context;

	say_path(arguments->program, path, text);
}

static void path_gone(void *context, const char *path)
{
	const struct index_arguments *arguments = context;
	const char *url = arguments->request.location.url;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	fputs("it no longer exists, but the index has files at or below it; to remove them: "
	      "simhash ",
	      out);
	if (url != NULL) {
		fputs("-d ", out);
		write_command_word(out, bytes_of(url));
		fputc(' ', out);
	}
	if (arguments->host != NULL)
		fprintf(out, "--host=%s ", arguments->host);
	fputs("--forget ", out);
	write_command_word(out, bytes_of(path));
	if (close_text(out, &text) == 0)
		say_path(arguments->program, bytes_of(path), text);
	free(text);
}

/* The progress of waiting for the server. */
struct waiting {
	const char *program;
	atomic_int connections;
};

static void report_waiting(void *context, const char *message)
{
	const struct waiting *waiting = context;

	say(waiting->program, message);
}

static void count_waiting(void *context, bool begins)
{
	struct waiting *waiting = context;

	atomic_fetch_add(&waiting->connections, begins ? 1 : -1);
}

/* ---- Indexing ---- */

/*
 * Raise the limit as far as the system allows: each scanned directory holds a descriptor, and a
 * second one while it is read.
 */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, the old limit stays */
	}
	reserve_descriptors(2 * directory_open_max());
}

/* Returns the descriptor of the list of files; -1 for an error. */
static int open_list(const char *name, struct simhash_error *error)
{
	int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open_file_at(AT_FDCWD, name, O_RDONLY, 0);

	return fd < 0 ? error_set_errno(error, "cannot read %s", name) : fd;
}

/* Index, and show progress if it is wanted. */
static int index_shown(const struct index_arguments *arguments, const struct index_request *request,
		       const struct waiting *waiting, struct index_summary *summary,
		       struct simhash_error *error)
{
	struct index_progress progress;
	void *context = (void *)(uintptr_t)arguments;
	struct shown_progress shown = {.progress = &progress, .waiting = &waiting->connections};
	struct progress_display display = {.is_running = false};
	struct index_resources resources = {.threads = arguments->threads,
					    .stop = &stop_requested,
					    .failed = file_failed,
					    .failed_text = filter_failed,
					    .gone = path_gone,
					    .context = context};
	int status;

	index_progress_init(&progress);
	if (progress_is_wanted(arguments->progress, arguments->quiet)) {
		resources.progress = &progress;
		progress_start(&display, arguments->progress, write_index_progress, &shown);
	}
	status = index_trees(request, &resources, summary, error);
	progress_stop(&display);
	index_progress_release(&progress);
	return status;
}

/* Index as the options say. The summary is filled as far as the run came. */
static int index_files(const struct index_arguments *arguments, struct index_summary *summary,
		       struct simhash_error *error)
{
	struct index_request request = arguments->request;
	struct waiting waiting = {.program = arguments->program};
	struct simhash_tag_set *tag_set = NULL;
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	request.list_fd = -1;
	if (request.list_name != NULL) {
		request.list_fd = open_list(request.list_name, error);
		if (request.list_fd < 0)
			return -1;
	}
	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0 ||
	    choose_host(arguments->host, host, error) != 0 ||
	    choose_database(request.location.url, true, &url, error) != 0)
		goto out;
	request.location.url = url;
	request.location.stop = &stop_requested;
	request.location.calls = &server_calls;
	request.location.disk_calls = &disk_calls;
	request.location.waiting = report_waiting;
	request.location.is_waiting = count_waiting;
	request.location.context = &waiting;
	request.tag_set = tag_set;
	request.host = host;
	request.exclusions = &arguments->exclusions;
	request.filters = arguments->filters.count > 0 ? &arguments->filters : NULL;
	request.measures = arguments->measures;
	request.measure_count = arguments->measure_count;
	catch_signals(); /* before this, they end the program at once, even if it waits for input */
	status = index_shown(arguments, &request, &waiting, summary, error);
out:
	free(url);
	simhash_tag_set_free(tag_set);
	if (request.list_fd > STDIN_FILENO)
		close_content(request.list_fd);
	return status;
}

/* Say what this build cannot read, if it was requested. */
static void say_what_is_missing(const struct index_arguments *arguments)
{
	const struct index_request *request = &arguments->request;

	if (arguments->quiet)
		return;
	if (request->inflate && request->containers == 0)
		say(arguments->program, "-z can read only gzip files, because this simhash was "
					"built without libarchive");
	if (!arguments->no_documents && (request->containers & CONTAINER_TEXT) == 0)
		say(arguments->program, "documents are compared as files, without their text, "
					"because this simhash was built without libarchive and "
					"expat; --no-documents hides this line");
}

int index_paths(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error)
{
	struct index_summary summary = {0};
	int status;

	say_what_is_missing(arguments);
	raise_descriptor_limit();
	status = index_files(arguments, &summary, error);
	print_index_summary(arguments, &summary, status == 0 ? NULL : error);
	if (status == 0 && summary.is_interrupted)
		end_by_signal(arguments->program,
			      summary.is_unwritten
				      ? "interrupted; the index could not be written, and the next "
					"run scans the last files again"
				      : "interrupted; everything scanned so far is stored, and the "
					"next run continues");
	*had_unreadable = summary.failed > 0;
	return status;
}
