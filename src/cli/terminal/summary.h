/*
 * Prints the summary of a run: text for people, a line of JSON for monitoring programs, or nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SUMMARY_H
#define SIMHASH_CLI_SUMMARY_H

#include "base/text/record.h"
#include "simhash.h"

enum summary_format { SUMMARY_TEXT, SUMMARY_JSON, SUMMARY_NONE };

extern const char *const summary_words[];

/*
 * The statuses after EXIT_SUCCESS and EXIT_FAILURE: some files could not be read; --fail-on-match
 * found a match.
 */
enum { EXIT_UNREADABLE = 2, EXIT_MATCH = 3 };

/* How a run ended. */
struct run_ending {
	const char *program, *task;
	const char *result; /* "ok", "unreadable", "match", "interrupted" or "failed" */
	int exit;
	const struct simhash_error *error; /* the error of a failed run; NULL: no error */
	double seconds;
	const char *host;
	const char *const *paths; /* the paths that the user named */
	size_t path_count;
};

/* Write one line of JSON to standard error: the end of the run and the numbers in `counts`. */
void print_json_summary(const struct run_ending *ending, const struct field *counts);

#endif
