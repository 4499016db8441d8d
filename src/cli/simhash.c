/*
 * The program simhash: indexes trees of files (paper, 4.1: SimHash).
 * Parses options, calls the index floor, says what came of it.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "cli/database.h"
#include "cli/index_options.h"
#include "cli/inspect.h"
#include "cli/lost_mapping.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "index/index.h"

#define PROGRAM "simhash"

#define SAME_ORDER_MS 200

enum { EXIT_UNREADABLE = 2 };

static atomic_bool stop;
static volatile sig_atomic_t stop_signal;

/*
 * The first signal has the run end in good order, a second one ends it at once. What
 * follows the first at its heels is the same order given twice: timeout(1) sends its
 * signal to the program, then to its process group.
 */
static void on_signal(int number)
{
	static struct timespec first;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (stop_signal == 0) {
		first = now;
		stop_signal = number;
		atomic_store(&stop, true);
	} else if (now.tv_sec - first.tv_sec > 1 ||
		   (now.tv_sec - first.tv_sec) * 1000 + (now.tv_nsec - first.tv_nsec) / 1000000 >=
			   SAME_ORDER_MS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	/* One after the other. */
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void file_failed(void *context, struct bytes path, int system_errno)
{
	(void)context;
	say_path(PROGRAM, path, explain_errno(system_errno));
}

/* ---- Progress ---- */

struct shown_progress {
	struct index_progress *progress;
	struct progress_rate rate;
};

static void write_path(FILE *line, struct index_progress *progress, unsigned columns)
{
	pthread_mutex_lock(&progress->lock);
	write_shortened(line, (struct bytes){progress->path, progress->path_size}, columns);
	pthread_mutex_unlock(&progress->lock);
}

/* " 45%  12,345 of 30,000 files  1.2 of 3.4 GB  350 MB/s  0:12 left  /path" */
static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct shown_progress *shown = context;
	struct index_progress *progress = shown->progress;
	double done = (double)atomic_load(&progress->bytes_done);
	double found = (double)atomic_load(&progress->bytes_found);
	uint64_t files = (uint64_t)atomic_load(&progress->files_done);
	uint64_t all_files = (uint64_t)atomic_load(&progress->files_found);
	double rate = progress_rate(&shown->rate, seconds, done);
	char count[32], all[32], bytes[32], all_bytes[32], speed[32], left[32];
	char text[256];
	int size;

	format_count(files, count);
	format_bytes(done, bytes);
	format_bytes(rate, speed);
	if (atomic_load(&progress->is_counted) && found > 0) {
		done = done > found ? found : done;
		size = snprintf(text, sizeof text,
				"%3.0f%%  %s of %s files  %s of %s  %s/s  %s left  ",
				100 * done / found, count, format_count(all_files, all), bytes,
				format_bytes(found, all_bytes), speed,
				rate > 0 ? format_seconds((found - done) / rate, left) : "?");
	} else {
		size = snprintf(text, sizeof text, "%s files  %s  %s/s  ", count, bytes, speed);
	}
	if (size < 0)
		return;
	/* On a narrow terminal as much as fits. */
	fprintf(line, "%.*s", (int)columns, text);
	if ((unsigned)size < columns)
		write_path(line, progress, columns - (unsigned)size);
}

/* ---- Indexing ---- */

static void print_summary(const struct index_summary *summary)
{
	char scanned[32], unchanged[32], removed[32], failed[32], bytes[32];
	double seconds = summary->seconds > 0.001 ? summary->seconds : 0.001;

	fprintf(stderr,
		"%s scanned, %s unchanged, %s removed, %s failed; %s in %.2f s (%.0f MB/s)\n",
		format_count(summary->scanned, scanned),
		format_count(summary->unchanged, unchanged),
		format_count(summary->removed, removed), format_count(summary->failed, failed),
		format_bytes((double)summary->bytes, bytes), summary->seconds,
		(double)summary->bytes / seconds / 1e6);
	if (summary->listed_directories > 0)
		fprintf(stderr, "%s director%s in the list passed over; name them as PATHs\n",
			format_count(summary->listed_directories, scanned),
			summary->listed_directories == 1 ? "y" : "ies");
}

/* As many descriptors as the system allows: each directory being scanned holds one. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit); /* without it, the old limit serves */
	}
}

/* The descriptor of the list of files; -1 for an error. */
static int open_list(const char *name, struct simhash_error *error)
{
	int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open_file_at(AT_FDCWD, name, O_RDONLY, 0);

	return fd < 0 ? error_set_errno(error, "cannot read %s", name) : fd;
}

/* Index, and show progress meanwhile where it is wanted. */
static int index_shown(const struct index_arguments *arguments, const struct index_request *request,
		       struct index_summary *summary, struct simhash_error *error)
{
	struct index_progress progress;
	struct shown_progress shown = {.progress = &progress};
	struct progress_display display = {.is_running = false};
	struct index_resources resources = {
		.threads = arguments->threads, .stop = &stop, .failed = file_failed};
	int status;

	index_progress_init(&progress);
	if (progress_is_wanted(arguments->progress, arguments->quiet)) {
		resources.progress = &progress;
		progress_start(&display, arguments->progress, write_progress, &shown);
	}
	status = index_trees(request, &resources, summary, error);
	progress_stop(&display);
	index_progress_release(&progress);
	return status;
}

static int index_files(const struct index_arguments *arguments, struct index_summary *summary,
		       struct simhash_error *error)
{
	struct index_request request = {
		.paths = arguments->paths,
		.path_count = arguments->path_count,
		.list_name = arguments->files_from,
		.list_fd = -1,
		.filter = &arguments->filter,
		.follow = arguments->follow,
		.force = arguments->force,
		.one_file_system = arguments->one_file_system,
		.inflate = arguments->inflate,
		.max_inflated_bytes = arguments->max_inflated_bytes,
		.measures = arguments->measures,
		.measure_count = arguments->measure_count,
	};
	struct simhash_tag_set *tag_set = NULL;
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	if (request.list_name != NULL) {
		request.list_fd = open_list(request.list_name, error);
		if (request.list_fd < 0)
			return -1;
	}
	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0 ||
	    choose_host(arguments->host, host, error) != 0 ||
	    choose_database(arguments->location.url, true, &url, error) != 0)
		goto out;
	request.location = arguments->location;
	request.location.url = url;
	request.location.stop = &stop;
	request.location.waiting = say_waiting;
	request.tag_set = tag_set;
	request.host = host;
	status = index_shown(arguments, &request, summary, error);
out:
	free(url);
	simhash_tag_set_free(tag_set);
	if (request.list_fd > STDIN_FILENO)
		close(request.list_fd);
	return status;
}

static void end_by_signal(const char *message)
{
	say(PROGRAM, message);
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}

static int copy(const struct index_arguments *arguments, struct simhash_error *error)
{
	bool is_interrupted;

	catch_signals();
	if (copy_database(arguments, &stop, &is_interrupted, error) != 0)
		return -1;
	if (is_interrupted)
		end_by_signal("interrupted; what was copied is stored, and the next copy goes on");
	return 0;
}

static int run_other(const struct index_arguments *arguments, bool *had_unreadable,
		     struct simhash_error *error)
{
	switch (arguments->task) {
	case TASK_STATUS:
		return show_index(arguments, error);
	case TASK_FORGET:
		return forget_paths(arguments, error);
	case TASK_INIT_DATABASE:
		return init_database(arguments, error);
	case TASK_COPY:
		return copy(arguments, error);
	case TASK_PRINT:
	case TASK_INDEX:
	default:
		return print_files(arguments, had_unreadable, error);
	}
}

/* The exit status. */
static int run_index(const struct index_arguments *arguments)
{
	struct index_summary summary = {0};
	struct simhash_error error;
	int status;

	raise_descriptor_limit();
	catch_signals();
	status = index_files(arguments, &summary, &error);
	if (!arguments->quiet && (status == 0 || summary.scanned + summary.unchanged > 0))
		print_summary(&summary);
	if (status != 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	if (summary.is_interrupted)
		end_by_signal("interrupted; what was scanned is stored, and the next run goes on");
	return summary.failed > 0 ? EXIT_UNREADABLE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct index_arguments arguments;
	struct simhash_error error;
	bool had_unreadable = false;
	int status = choose_kernel(&error);

	ignore_size_signal();
	end_at_bus_error(PROGRAM);
	index_arguments_init(&arguments);
	if (status == 0)
		status = index_arguments_parse(&arguments, argc, argv, &error);
	if (status == 0 && arguments.task == TASK_INDEX) {
		status = run_index(&arguments);
		index_arguments_release(&arguments);
		return status;
	}
	if (status == 0)
		status = run_other(&arguments, &had_unreadable, &error);
	index_arguments_release(&arguments);
	if (status < 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		say(PROGRAM, "cannot write to standard output");
		return EXIT_FAILURE;
	}
	return had_unreadable ? EXIT_UNREADABLE : EXIT_SUCCESS;
}
