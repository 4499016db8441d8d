/*
 * Declares the options of simhash and its parsed command line.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INDEX_OPTIONS_H
#define SIMHASH_CLI_INDEX_OPTIONS_H

#include "cli/options/option_table.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/summary.h"
#include "index/run/index.h"
#include "index/walk/exclusions.h"
#include "scan/archive/sandbox.h"
#include "simhash_measures.h"
#include "store/open/roles.h"
#include "store/row/file_row.h"

/* The task of the program. */
enum index_task {
	TASK_INDEX,
	TASK_STATUS,
	TASK_FORGET,
	TASK_PRINT,
	TASK_INIT_DATABASE,
	TASK_COPY,
	TASK_EXPORT,
	TASK_IMPORT,
	TASK_SCRUB
};

/* The formats of --status and --print. */
enum status_format { STATUS_TEXT, STATUS_JSON, STATUS_DIGEST };

struct index_arguments {
	const char *program; /* messages begin with this name */
	enum index_task task;
	/*
	 * Everything except for the tag set, the host, the filter, the measures and the descriptor
	 * of the list.
	 */
	struct index_request request;
	struct sandbox_use sandbox; /* for the request, if it has one */
	const char *tag_file, *host, *copy_to, *export_to, *import_from;
	double scrub_share;	  /* the part of the bytes to verify */
	int64_t scrub_time_ns;	  /* 0: no limit */
	int64_t bytes_per_second; /* 0: no limit */
	bool is_anonymous, no_documents;
	bool has_format;
	bool quiet;
	unsigned threads;
	enum progress_mode progress;
	enum summary_format summary;
	enum status_format format;
	struct exclusions exclusions;
	struct filter_commands filters;			/* the commands of --filter */
	struct simhash_measure *measures[MEASURES_MAX]; /* owned */
	unsigned measure_count;
	const char *measure_text; /* the last one, as the user wrote it */
	const char *password_file;
	enum tls_need tls_need;
	bool has_tls_need;
};

extern const struct option_program index_program;

void index_arguments_init(struct index_arguments *arguments);
void index_arguments_release(struct index_arguments *arguments);

/* After all options are set: choose the sandbox and the kinds of containers. */
int index_arguments_settle(struct index_arguments *arguments, struct simhash_error *error);

/* Returns 0 to continue, 1 if the program is done (--help, --version), -1 for a wrong option. */
int index_arguments_parse(struct index_arguments *arguments, int argc, char **argv,
			  struct simhash_error *error);

#endif
