/*
 * Parsing the options of simhash.
 * SPDX-License-Identifier: MIT
 */
#include "cli/index_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define WAIT_S_MAX 31536000 /* a year */

static void print_help(void)
{
	fputs("Usage: simhash [OPTION]... PATH...\n"
	      "       simhash --status | --forget PATH... | --print FILE...\n"
	      "       simhash --init-database | --copy-to=URL\n"
	      "Index every regular file below each PATH, so that simfind can list those that\n"
	      "are nearly the same. Unchanged files are skipped, and files that are gone are\n"
	      "removed from the index.\n"
	      "\n"
	      "Which index:\n"
	      "  -d, --database=URL     sqlite:FILE or mysql://USER@HOST/DATABASE (default:\n"
	      "                         $SIMHASH_DATABASE, else an SQLite file of your own;\n"
	      "                         passwords come from ~/.my.cnf)\n"
	      "      --defaults-file=FILE\n"
	      "                         the option file for a server (default: ~/.my.cnf and\n"
	      "                         the system's)\n"
	      "      --wait-server=SECONDS\n"
	      "                         wait so long for a server that is gone, and go on\n"
	      "  -t, --tag-set=FILE     count the 16 tags of FILE instead of the built-in ones\n"
	      "      --host=NAME        store the files as NAME's (default: this host's name)\n"
	      "\n"
	      "Which files:\n"
	      "      --exclude=GLOB     leave out what matches, as in a .gitignore file; any\n"
	      "                         number of times\n"
	      "      --exclude-from=FILE\n"
	      "                         leave out what matches a line of FILE\n"
	      "      --ignore-files     heed .gitignore and .ignore files\n"
	      "      --hidden           names that begin with a dot too (default)\n"
	      "      --no-hidden        leave them out\n"
	      "      --ext=LIST         only files with these extensions, such as txt,md\n"
	      "      --min-size=SIZE    only files of at least SIZE bytes, or 10k, 5M, 2G\n"
	      "      --max-size=SIZE    only files of at most SIZE\n"
	      "  -x, --one-file-system  stay on the file system of each PATH\n"
	      "  -L, --dereference      follow symbolic links\n"
	      "      --files0-from=FILE the files whose names are in FILE, each ended by a zero\n"
	      "                         byte; - is standard input\n"
	      "\n"
	      "How they are read:\n"
	      "  -z, --decompress       scan the content of gzip files too, beside themselves\n"
	      "      --max-inflated=SIZE\n"
	      "                         give up on what inflates to more (default: 16G)\n"
	      "      --measure=MEASURE  make sketches by another measure, too: simhash64,\n"
	      "                         simhash128, minhash or bottom, with parameters as in\n"
	      "                         minhash:words=3; up to eight of them\n"
	      "  -f, --force            scan files again that have not changed\n"
	      "  -j, --threads=N        scan with N threads (default: one for each processor)\n"
	      "\n"
	      "Instead of indexing:\n"
	      "      --status           show what the index holds\n"
	      "      --forget           remove the rows at and below each PATH, or, with\n"
	      "                         --measure, all sketches by that measure\n"
	      "      --print            show sum table and keys of each FILE; - is stdin\n"
	      "      --init-database    make the index, and print the GRANTs that users need\n"
	      "      --copy-to=URL      copy the index to URL; what is there is kept\n"
	      "\n"
	      "What is shown:\n"
	      "      --progress=WHEN    auto (default: on a terminal), always or never\n"
	      "  -q, --quiet            no progress and no summary\n"
	      "  -h, --help             show this help and exit\n"
	      "  -V, --version          show the version and exit\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 done but some files could not be read.\n",
	      stdout);
}

void index_settings_init(struct index_settings *settings)
{
	*settings = (struct index_settings){.threads = processors(),
					    .max_inflated_bytes = MAX_INFLATED_BYTES};
	filter_init(&settings->filter);
}

void index_settings_release(struct index_settings *settings)
{
	filter_release(&settings->filter);
	for (unsigned i = 0; i < settings->measure_count; i++)
		simhash_measure_free(settings->measures[i]);
}

enum {
	OPTION_HOST = 256,
	OPTION_DEFAULTS_FILE,
	OPTION_WAIT_SERVER,
	OPTION_INIT_DATABASE,
	OPTION_COPY_TO,
	OPTION_EXCLUDE,
	OPTION_EXCLUDE_FROM,
	OPTION_IGNORE_FILES,
	OPTION_HIDDEN,
	OPTION_NO_HIDDEN,
	OPTION_EXT,
	OPTION_MIN_SIZE,
	OPTION_MAX_SIZE,
	OPTION_FILES0_FROM,
	OPTION_MAX_INFLATED,
	OPTION_MEASURE,
	OPTION_STATUS,
	OPTION_FORGET,
	OPTION_PRINT,
	OPTION_PROGRESS,
	OPTIONS_END
};

/* What can be given with which task, by the option's letter or number. */
static bool is_for(enum index_task task, int option)
{
	if (option == 'd' || option == 'q' || option == OPTION_DEFAULTS_FILE ||
	    option == OPTION_WAIT_SERVER)
		return task != TASK_PRINT || option == 'q';
	switch (task) {
	case TASK_INIT_DATABASE:
		return option == OPTION_INIT_DATABASE;
	case TASK_COPY:
		return option == OPTION_COPY_TO || option == OPTION_PROGRESS;
	case TASK_STATUS:
		return option == OPTION_STATUS;
	case TASK_FORGET:
		return option == 't' || option == OPTION_HOST || option == OPTION_FORGET ||
		       option == OPTION_MEASURE;
	case TASK_PRINT:
		return option == 't' || option == 'z' || option == OPTION_MAX_INFLATED ||
		       option == OPTION_PRINT;
	case TASK_INDEX:
	default:
		return true;
	}
}

static int parse_filter_option(struct filter *filter, int option, struct simhash_error *error)
{
	switch (option) {
	case OPTION_EXCLUDE:
		return glob_list_add(&filter->rules, optarg, strlen(optarg), error);
	case OPTION_EXCLUDE_FROM:
		return filter_add_file(filter, optarg, error);
	case OPTION_IGNORE_FILES:
		filter->ignore_files = true;
		return 0;
	case OPTION_HIDDEN:
		filter->no_hidden = false;
		return 0;
	case OPTION_NO_HIDDEN:
		filter->no_hidden = true;
		return 0;
	case OPTION_EXT:
		return filter_add_extensions(filter, optarg, error);
	case OPTION_MIN_SIZE:
		return parse_size(optarg, "size", &filter->min_size_bytes, error);
	case OPTION_MAX_SIZE:
	default:
		return parse_size(optarg, "size", &filter->max_size_bytes, error);
	}
}

static int set_task(struct index_settings *settings, enum index_task task,
		    struct simhash_error *error)
{
	if (settings->task != TASK_INDEX && settings->task != task)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--status, --forget, --print, --init-database and --copy-to: "
				 "expected one of them");
	settings->task = task;
	return 0;
}

static int add_measure(struct index_settings *settings, const char *text,
		       struct simhash_error *error)
{
	struct simhash_measure *measure;

	/* What --forget takes away may be named as the index names it, weights and all. */
	settings->measure_text = text;
	if (settings->task == TASK_FORGET)
		return 0;

	if (settings->measure_count == SKETCHES_MAX)
		return error_set(error, SIMHASH_E_RANGE, "--measure: expected at most %d of them",
				 SKETCHES_MAX);
	if (simhash_measure_new(text, &measure, error) != 0)
		return -1;
	for (unsigned i = 0; i < settings->measure_count; i++)
		if (strcmp(simhash_measure_text(settings->measures[i]),
			   simhash_measure_text(measure)) == 0) {
			simhash_measure_free(measure); /* twice the same is once */
			return 0;
		}
	settings->measures[settings->measure_count++] = measure;
	return 0;
}

static int parse_option(struct index_settings *settings, int option, struct simhash_error *error)
{
	switch (option) {
	case 'd':
		settings->location.url = optarg;
		return 0;
	case 't':
		settings->tag_file = optarg;
		return 0;
	case 'f':
		settings->force = true;
		return 0;
	case 'L':
		settings->follow = true;
		return 0;
	case 'x':
		settings->one_file_system = true;
		return 0;
	case 'z':
		settings->inflate = true;
		return 0;
	case 'j':
		return parse_threads(optarg, &settings->threads, error);
	case OPTION_DEFAULTS_FILE:
		settings->location.defaults_file = optarg;
		return 0;
	case OPTION_WAIT_SERVER: {
		uint64_t seconds;
		if (parse_number(optarg, "seconds", 0, WAIT_S_MAX, &seconds, error) != 0)
			return -1;
		settings->location.wait_s = (int64_t)seconds;
		return 0;
	}
	case OPTION_HOST:
		settings->host = optarg;
		return 0;
	case OPTION_FILES0_FROM:
		settings->files_from = optarg;
		return 0;
	case OPTION_MEASURE:
		return add_measure(settings, optarg, error);
	case OPTION_MAX_INFLATED:
		return parse_size(optarg, "size", &settings->max_inflated_bytes, error);
	case OPTION_STATUS:
		return set_task(settings, TASK_STATUS, error);
	case OPTION_FORGET:
		return set_task(settings, TASK_FORGET, error);
	case OPTION_PRINT:
		return set_task(settings, TASK_PRINT, error);
	case OPTION_INIT_DATABASE:
		return set_task(settings, TASK_INIT_DATABASE, error);
	case OPTION_COPY_TO:
		settings->copy_to = optarg;
		return set_task(settings, TASK_COPY, error);
	case OPTION_PROGRESS:
		return parse_progress(optarg, &settings->progress, error);
	case 'q':
		settings->quiet = true;
		return 0;
	case 'h':
		print_help();
		return 1;
	case 'V':
		print_version("simhash");
		return 1;
	case '?':
	case ':': /* getopt has said what is wrong */
		return error_set(error, SIMHASH_E_SYNTAX, "try 'simhash --help'");
	default:
		return parse_filter_option(&settings->filter, option, error);
	}
}

static unsigned count_stdin(const struct index_settings *settings)
{
	unsigned count = 0;

	for (unsigned i = 0; settings->task == TASK_PRINT && i < settings->path_count; i++)
		count += strcmp(settings->paths[i], "-") == 0;
	return count;
}

static bool is_of_whole(enum index_task task)
{
	return task == TASK_STATUS || task == TASK_INIT_DATABASE || task == TASK_COPY;
}

/* What does not go together; `given` by the option's letter or number. */
static int check(const struct index_settings *settings, const bool *given, bool patterns_on_stdin,
		 struct simhash_error *error)
{
	static const char *const names[] = {
		[TASK_STATUS] = "--status", [TASK_FORGET] = "--forget",
		[TASK_PRINT] = "--print",   [TASK_INIT_DATABASE] = "--init-database",
		[TASK_COPY] = "--copy-to",
	};
	static const char *const needs[] = {
		[TASK_INDEX] = "no path given: expected simhash [OPTION]... PATH...",
		[TASK_FORGET] = "--forget: expected at least one PATH",
		[TASK_PRINT] = "--print: expected at least one FILE",
	};
	bool has_paths = settings->path_count > 0;

	if (is_of_whole(settings->task) && has_paths)
		return error_set(error, SIMHASH_E_SYNTAX, "%s is of the whole index: no PATH",
				 names[settings->task]);
	if (settings->files_from != NULL && settings->task != TASK_INDEX)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--files0-from is for indexing, and for nothing else");
	for (int option = 0; option < OPTIONS_END; option++)
		if (given[option] && !is_for(settings->task, option))
			return error_set(error, SIMHASH_E_SYNTAX,
					 "%s was given with an option that it would not heed; try "
					 "'simhash --help'",
					 names[settings->task]);
	if (settings->task == TASK_FORGET && given[OPTION_MEASURE])
		return !has_paths && !given['t'] && !given[OPTION_HOST]
			       ? 0
			       : error_set(error, SIMHASH_E_SYNTAX,
					   "--forget --measure is of all files: no PATH, --host or "
					   "--tag-set");
	if (given[OPTION_MAX_INFLATED] && !settings->inflate)
		return error_set(error, SIMHASH_E_SYNTAX, "--max-inflated needs --decompress");
	if (patterns_on_stdin && settings->files_from != NULL &&
	    strcmp(settings->files_from, "-") == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "standard input cannot be both a list of files and of patterns");
	if (count_stdin(settings) > 1)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "standard input can be printed once only");
	if (!is_of_whole(settings->task) && !has_paths && settings->files_from == NULL)
		return error_set(error, SIMHASH_E_SYNTAX, "%s; try 'simhash --help'",
				 needs[settings->task]);
	if (settings->filter.min_size_bytes > settings->filter.max_size_bytes)
		return error_set(error, SIMHASH_E_RANGE,
				 "--min-size is above --max-size: no file is left");
	return 0;
}

int index_settings_parse(struct index_settings *settings, int argc, char **argv,
			 struct simhash_error *error)
{
	static const struct option options[] = {
		{"database", required_argument, NULL, 'd'},
		{"defaults-file", required_argument, NULL, OPTION_DEFAULTS_FILE},
		{"wait-server", required_argument, NULL, OPTION_WAIT_SERVER},
		{"init-database", no_argument, NULL, OPTION_INIT_DATABASE},
		{"copy-to", required_argument, NULL, OPTION_COPY_TO},
		{"tag-set", required_argument, NULL, 't'},
		{"host", required_argument, NULL, OPTION_HOST},
		{"exclude", required_argument, NULL, OPTION_EXCLUDE},
		{"exclude-from", required_argument, NULL, OPTION_EXCLUDE_FROM},
		{"ignore-files", no_argument, NULL, OPTION_IGNORE_FILES},
		{"hidden", no_argument, NULL, OPTION_HIDDEN},
		{"no-hidden", no_argument, NULL, OPTION_NO_HIDDEN},
		{"ext", required_argument, NULL, OPTION_EXT},
		{"min-size", required_argument, NULL, OPTION_MIN_SIZE},
		{"max-size", required_argument, NULL, OPTION_MAX_SIZE},
		{"one-file-system", no_argument, NULL, 'x'},
		{"dereference", no_argument, NULL, 'L'},
		{"files0-from", required_argument, NULL, OPTION_FILES0_FROM},
		{"decompress", no_argument, NULL, 'z'},
		{"max-inflated", required_argument, NULL, OPTION_MAX_INFLATED},
		{"measure", required_argument, NULL, OPTION_MEASURE},
		{"force", no_argument, NULL, 'f'},
		{"threads", required_argument, NULL, 'j'},
		{"status", no_argument, NULL, OPTION_STATUS},
		{"forget", no_argument, NULL, OPTION_FORGET},
		{"print", no_argument, NULL, OPTION_PRINT},
		{"progress", required_argument, NULL, OPTION_PROGRESS},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	bool given[OPTIONS_END] = {false}, patterns_on_stdin = false;
	int option;

	while ((option = getopt_long(argc, argv, "d:t:fLxzj:qhV", options, NULL)) != -1) {
		int status;
		if (option == OPTION_EXCLUDE_FROM && strcmp(optarg, "-") == 0) {
			if (patterns_on_stdin)
				return error_set(
					error, SIMHASH_E_SYNTAX,
					"standard input can be read for patterns once only");
			patterns_on_stdin = true;
		}
		given[option] = true;
		status = parse_option(settings, option, error);
		if (status != 0)
			return status;
	}
	settings->paths = argv + optind;
	settings->path_count = (unsigned)(argc - optind);
	return check(settings, given, patterns_on_stdin, error);
}
