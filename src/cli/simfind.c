/*
 * The program simfind: lists similar files (paper, 4.2: SimFind).
 * Parses options, calls the find floor, hands pairs to a formatter.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "find/find.h"
#include "report/formatter.h"

#define PROGRAM "simfind"

enum { EXIT_UNREADABLE = 2 };

struct settings {
	const char *database, *tag_file, *host, *output_path;
	enum simhash_key key;
	struct simhash_tolerance tolerance;
	const struct formatter *formatter;
	bool with_empty, quiet;
};

/* Where pairs go, and what went wrong on the way. */
struct output {
	const struct formatter *formatter;
	FILE *file;
	const char *name;
	bool is_terminal, had_unreadable;
	uint64_t count;
};

static void print_help(void)
{
	fputs("Usage: simfind [OPTION]... [FILE]...\n"
	      "List the pairs of files in the index that are nearly the same; with FILEs, those\n"
	      "in the index that are similar to each FILE.\n"
	      "\n"
	      "Which index:\n"
	      "  -d, --database=URL       sqlite:FILE or mysql://USER@HOST/DATABASE (default:\n"
	      "                           $SIMHASH_DATABASE, else your own SQLite file)\n"
	      "  -t, --tag-set=FILE       the rows made with the 16 tags of FILE\n"
	      "      --host=NAME          this host's files are stored as NAME's\n"
	      "\n"
	      "What is similar:\n"
	      "  -k, --key=KEY            uniform, scatter, skew, or one of these with _ext,\n"
	      "                           for files of equal extension (default: skew_ext)\n"
	      "  -T, --tolerance=PERCENT  0 to 100, at most six decimal places (default: 1)\n"
	      "      --size-ratio=RATIO   the larger is at most RATIO times the smaller\n"
	      "                           (default: 1.5)\n"
	      "      --empty              empty files too\n"
	      "\n"
	      "Output:\n"
	      "      --format=FORMAT      text, csv or json (default: text)\n"
	      "  -o, --output=FILE        write to FILE instead of standard output\n"
	      "  -q, --quiet              no summary\n"
	      "  -h, --help               show this help and exit\n"
	      "  -V, --version            show the version and exit\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 done but some files could not be read.\n",
	      stdout);
}

/* 0 to go on, 1 when the program is done (help, version), -1 for a wrong option. */
static int parse_options(int argc, char **argv, struct settings *settings,
			 struct simhash_error *error)
{
	enum { OPTION_HOST = 256, OPTION_SIZE_RATIO, OPTION_FORMAT, OPTION_EMPTY };
	static const struct option options[] = {
		{"database", required_argument, NULL, 'd'},
		{"tag-set", required_argument, NULL, 't'},
		{"host", required_argument, NULL, OPTION_HOST},
		{"key", required_argument, NULL, 'k'},
		{"tolerance", required_argument, NULL, 'T'},
		{"size-ratio", required_argument, NULL, OPTION_SIZE_RATIO},
		{"empty", no_argument, NULL, OPTION_EMPTY},
		{"format", required_argument, NULL, OPTION_FORMAT},
		{"output", required_argument, NULL, 'o'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option, status = 0;

	while (status == 0 &&
	       (option = getopt_long(argc, argv, "d:t:k:T:o:qhV", options, NULL)) != -1)
		switch (option) {
		case 'd':
			settings->database = optarg;
			break;
		case 't':
			settings->tag_file = optarg;
			break;
		case OPTION_HOST:
			settings->host = optarg;
			break;
		case 'k':
			status = simhash_key_parse(optarg, &settings->key, error);
			break;
		case 'T':
			status = simhash_tolerance_parse(
				optarg, &settings->tolerance.percent_millionths, error);
			break;
		case OPTION_SIZE_RATIO:
			status = simhash_size_ratio_parse(
				optarg, &settings->tolerance.size_ratio_millionths, error);
			break;
		case OPTION_EMPTY:
			settings->with_empty = true;
			break;
		case OPTION_FORMAT:
			settings->formatter = formatter_find(optarg);
			if (settings->formatter == NULL)
				status = error_set(error, SIMHASH_E_RANGE,
						   "unknown format '%s': expected text, csv or "
						   "json",
						   optarg);
			break;
		case 'o':
			settings->output_path = optarg;
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
			status = error_set(error, SIMHASH_E_SYNTAX, "try 'simfind --help'");
		}
	return status;
}

static int write_failed(const struct output *output, struct simhash_error *error)
{
	/* The client library of a server makes SIGPIPE ignored; end as other programs do. */
	if (errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return error_set_errno(error, "cannot write to %s", output->name);
}

static int write_pair(void *context, const struct found_pair *pair, struct simhash_error *error)
{
	struct output *output = context;
	struct pair_line line = {
		.is_identical = pair->is_identical,
		.distance = pair->distance,
		.size_a_bytes = pair->a->size_bytes,
		.size_b_bytes = pair->b->size_bytes,
		.path_a = {pair->a->display, pair->a->display_size},
		.path_b = {pair->b->display, pair->b->display_size},
	};

	output->formatter->pair(output->file, &line, output->count++, output->is_terminal);
	return ferror(output->file) ? write_failed(output, error) : 0;
}

static void file_unreadable(void *context, struct bytes path, int system_errno, bool is_query)
{
	struct output *output = context;
	char text[256];

	output->had_unreadable = true;
	snprintf(text, sizeof text, "%s%s",
		 is_query && system_errno == EISDIR ? "Not a regular file"
						    : explain_errno(system_errno),
		 is_query ? "" : "; its pairs at distance 0 are listed as similar, not compared");
	say_path(PROGRAM, path, text);
}

static void print_summary(const struct finder *finder, bool is_query)
{
	char rows[32], pairs[32], identical[32], similar[32];
	uint64_t count = finder->counts.identical + finder->counts.similar;

	fprintf(stderr, "%s pair%s (%s identical, %s similar) among %s file%s%s\n",
		format_count(count, pairs), count == 1 ? "" : "s",
		format_count(finder->counts.identical, identical),
		format_count(finder->counts.similar, similar),
		format_count(finder->counts.rows, rows), finder->counts.rows == 1 ? "" : "s",
		is_query ? " within reach" : "");
}

static int say_tag_set(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	bool *has_any = context;
	char text[160];

	(void)id;
	(void)error;
	*has_any = true;
	snprintf(text, sizeof text, "note: the index has rows of tag set '%.*s'; see --tag-set",
		 (int)name.size, name.data);
	say(PROGRAM, text);
	return 0;
}

/* Nothing will be found when the index has no rows of this tag set: say what it has. */
static int explain_absence(struct store *store, const struct simhash_tag_set *tags,
			   struct simhash_error *error)
{
	bool has_any = false;
	char text[160];

	snprintf(text, sizeof text, "note: the index has no files of tag set '%s'",
		 simhash_tag_set_name(tags));
	say(PROGRAM, text);
	return store_read_tag_sets(store, say_tag_set, &has_any, error);
}

static int find(const struct settings *settings, const struct find_options *options,
		struct store *store, char **paths, size_t path_count, struct output *output,
		struct simhash_error *error)
{
	struct finder finder;
	int status;

	if (finder_init(&finder, store, options, error) != 0)
		return -1;
	status = finder.tag_set == 0 ? explain_absence(store, options->tags, error) : 0;
	output->formatter->begin(output->file);
	if (status == 0)
		status = path_count == 0 ? finder_all(&finder, error)
					 : finder_files(&finder, paths, path_count, error);
	output->formatter->end(output->file, output->count);
	if (status == 0 && !settings->quiet)
		print_summary(&finder, path_count > 0);
	finder_release(&finder);
	return status;
}

static bool is_index(const struct store *store, const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 &&
	       store_is_own_file(store, NULL, (uint64_t)status.st_dev, (uint64_t)status.st_ino);
}

static int open_output(const struct settings *settings, const struct store *store,
		       struct output *output, struct simhash_error *error)
{
	*output = (struct output){
		.formatter = settings->formatter, .file = stdout, .name = "standard output"};
	if (settings->output_path != NULL) {
		output->name = settings->output_path;
		if (is_index(store, settings->output_path))
			return error_set(error, SIMHASH_E_RANGE,
					 "cannot write to %s: it is the index itself",
					 output->name);
		output->file = fopen(settings->output_path, "wb");
		if (output->file == NULL)
			return write_failed(output, error);
	}
	output->is_terminal = isatty(fileno(output->file)) == 1;
	return 0;
}

/* A full disk may show only now. */
static int close_output(struct output *output, struct simhash_error *error)
{
	int status = 0;

	if (fflush(output->file) != 0 || ferror(output->file))
		status = write_failed(output, error);
	if (output->file != stdout && fclose(output->file) != 0 && status == 0)
		status = write_failed(output, error);
	return status;
}

static int run(const struct settings *settings, char **paths, size_t path_count,
	       bool *had_unreadable, struct simhash_error *error)
{
	struct find_options options = {.key = settings->key,
				       .tolerance = settings->tolerance,
				       .with_empty = settings->with_empty,
				       .pair = write_pair,
				       .unreadable = file_unreadable};
	struct simhash_tag_set *tag_set = NULL;
	struct store *store = NULL;
	struct output output = {.file = NULL};
	struct simhash_error close_error;
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	if (choose_tag_set(settings->tag_file, &tag_set, error) != 0 ||
	    choose_host(settings->host, host, error) != 0 ||
	    choose_database(settings->database, false, &url, error) != 0 ||
	    store_open(url, OPEN_TO_READ, &store, error) != 0 ||
	    open_output(settings, store, &output, error) != 0)
		goto out;
	options.tags = tag_set;
	options.host = host;
	options.context = &output;
	status = find(settings, &options, store, paths, path_count, &output, error);
	if (close_output(&output, &close_error) != 0 && status == 0) {
		*error = close_error;
		status = -1;
	}
	*had_unreadable = output.had_unreadable;
out:
	store_close(store);
	free(url);
	simhash_tag_set_free(tag_set);
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings = {.key = SIMHASH_SKEW_EXT,
				    .tolerance = SIMHASH_TOLERANCE_DEFAULT,
				    .formatter = &formatter_text};
	struct simhash_error error;
	bool had_unreadable = false;
	int status = choose_kernel(&error);

	if (status == 0)
		status = parse_options(argc, argv, &settings, &error);
	if (status > 0)
		return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	if (status == 0)
		status = run(&settings, argv + optind, (size_t)(argc - optind), &had_unreadable,
			     &error);
	if (status != 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	return had_unreadable ? EXIT_UNREADABLE : EXIT_SUCCESS;
}
