/*
 * The summary of a run: text for people, or a line of JSON for whoever watches over runs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SUMMARY_H
#define SIMHASH_CLI_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

enum summary_format { SUMMARY_TEXT, SUMMARY_JSON };

extern const char *const summary_words[];

enum { EXIT_UNREADABLE = 2 };

/* How a run ended. */
struct run_ending {
	const char *program, *task;
	const char *result; /* "ok", "unreadable", "match", "interrupted" or "failed" */
	int exit;
	const char *message; /* of a failure; NULL: none */
	double seconds;
};

/* What each line begins with, and what it ends with; numbers between begin with a comma. */
void begin_json_summary(FILE *out, const struct run_ending *ending);
void write_json_number(FILE *out, const char *name, uint64_t number);
void end_json_summary(FILE *out, const struct run_ending *ending);

#endif
