/*
 * The summary of a run: text for people, a line of JSON for programs that watch over runs, or none.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SUMMARY_H
#define SIMHASH_CLI_SUMMARY_H

#include "base/text/record.h"
#include "simhash.h"

enum summary_format { SUMMARY_TEXT, SUMMARY_JSON, SUMMARY_NONE };

extern const char *const summary_words[];

/* After EXIT_SUCCESS and EXIT_FAILURE: some files could not be read; --fail-on-match found a match. */
enum { EXIT_UNREADABLE = 2, EXIT_MATCH = 3 };

/* How a run ended. */
struct run_ending {
	const char *program, *task;
	const char *result; /* "ok", "unreadable", "match", "interrupted" or "failed" */
	int exit;
	const struct simhash_error *error; /* of a failure; NULL: none */
	double seconds;
};

/* Write the line to standard error: how the run ended, and in between what it counted. */
void print_json_summary(const struct run_ending *ending, const struct field *counts);

#endif
