/*
 * The program simhash: indexes trees of files (paper, 4.1: SimHash).
 * Parses options, calls the index floor, says what came of it.
 * SPDX-License-Identifier: MIT
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/terminal.h"
#include "core/decimal.h"
#include "core/error.h"
#include "index/index.h"

#define PROGRAM "simhash"
#define THREADS_MAX 1024

enum { EXIT_UNREADABLE = 2 };

struct settings {
	const char *database, *tag_file, *host;
	bool follow, force, quiet;
	unsigned threads;
};

static atomic_bool stop;
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
	atomic_store(&stop, true);
}

static void catch_signals(void)
{
	/* Once: a second signal ends the program at once. */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void print_help(void)
{
	fputs("Usage: simhash [OPTION]... PATH...\n"
	      "Index every regular file below each PATH, so that simfind can list those that\n"
	      "are nearly the same.\n"
	      "\n"
	      "  -d, --database=URL     the index: sqlite:FILE or mysql://USER@HOST/DATABASE\n"
	      "                         (default: $SIMHASH_DATABASE, else an SQLite file of\n"
	      "                         your own; passwords come from ~/.my.cnf)\n"
	      "  -t, --tag-set=FILE     count the 16 tags of FILE instead of the built-in ones\n"
	      "  -f, --force            scan files again that have not changed\n"
	      "  -L, --dereference      follow symbolic links\n"
	      "  -j, --threads=N        scan with N threads (default: one for each processor)\n"
	      "      --host=NAME        store the files as NAME's (default: this host's name)\n"
	      "  -q, --quiet            no summary\n"
	      "  -h, --help             show this help and exit\n"
	      "  -V, --version          show the version and exit\n"
	      "\n"
	      "Unchanged files are skipped, and files that are gone are removed from the index.\n"
	      "Exit status: 0 done, 1 failed, 2 done but some files could not be read.\n",
	      stdout);
}

static int parse_threads(const char *text, unsigned *threads, struct simhash_error *error)
{
	int64_t value;

	if (decimal_parse(text, strlen(text), 0, THREADS_MAX, &value) != DECIMAL_OK || value == 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "threads '%s': expected a number from 1 to %d", text, THREADS_MAX);
	*threads = (unsigned)value;
	return 0;
}

/* 0 to go on, 1 when the program is done (help, version), -1 for a wrong option. */
static int parse_options(int argc, char **argv, struct settings *settings,
			 struct simhash_error *error)
{
	enum { OPTION_HOST = 256 };
	static const struct option options[] = {
		{"database", required_argument, NULL, 'd'},
		{"tag-set", required_argument, NULL, 't'},
		{"force", no_argument, NULL, 'f'},
		{"dereference", no_argument, NULL, 'L'},
		{"threads", required_argument, NULL, 'j'},
		{"host", required_argument, NULL, OPTION_HOST},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "d:t:fLj:qhV", options, NULL)) != -1)
		switch (option) {
		case 'd':
			settings->database = optarg;
			break;
		case 't':
			settings->tag_file = optarg;
			break;
		case 'f':
			settings->force = true;
			break;
		case 'L':
			settings->follow = true;
			break;
		case 'j':
			if (parse_threads(optarg, &settings->threads, error) != 0)
				return -1;
			break;
		case OPTION_HOST:
			settings->host = optarg;
			break;
		case 'q':
			settings->quiet = true;
			break;
		case 'h':
			print_help();
			return 1;
		case 'V':
			print_version(PROGRAM);
			return 1;
		default: /* getopt has said what is wrong */
			return error_set(error, SIMHASH_E_SYNTAX, "try 'simhash --help'");
		}
	if (optind == argc)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "no path given: expected simhash [OPTION]... PATH...; try "
				 "'simhash --help'");
	return 0;
}

static void file_failed(void *context, struct bytes path, int system_errno)
{
	(void)context;
	say_path(PROGRAM, path, explain_errno(system_errno));
}

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

static unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (unsigned)count;
}

static int run(const struct settings *settings, char **paths, unsigned path_count,
	       struct index_summary *summary, struct simhash_error *error)
{
	struct index_options options = {
		.paths = paths,
		.path_count = path_count,
		.follow = settings->follow,
		.force = settings->force,
		.threads = settings->threads == 0 ? processors() : settings->threads,
		.stop = &stop,
		.failed = file_failed,
	};
	struct simhash_tag_set *tag_set = NULL;
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	if (choose_tag_set(settings->tag_file, &tag_set, error) != 0 ||
	    choose_host(settings->host, host, error) != 0 ||
	    choose_database(settings->database, true, &url, error) != 0)
		goto out;
	options.url = url;
	options.tag_set = tag_set;
	options.host = host;
	status = index_trees(&options, summary, error);
out:
	free(url);
	simhash_tag_set_free(tag_set);
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings = {0};
	struct index_summary summary = {0};
	struct simhash_error error;
	int status = choose_kernel(&error);

	if (status == 0)
		status = parse_options(argc, argv, &settings, &error);
	if (status > 0)
		return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	if (status < 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	raise_descriptor_limit();
	catch_signals();
	status = run(&settings, argv + optind, (unsigned)(argc - optind), &summary, &error);
	if (!settings.quiet && (status == 0 || summary.scanned + summary.unchanged > 0))
		print_summary(&summary);
	if (status != 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	if (summary.is_interrupted) {
		say(PROGRAM, "interrupted; what was scanned is stored, and the next run goes on");
		signal(stop_signal, SIG_DFL);
		raise(stop_signal);
	}
	return summary.failed > 0 ? EXIT_UNREADABLE : EXIT_SUCCESS;
}
