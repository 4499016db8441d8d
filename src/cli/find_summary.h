/*
 * The summary of a run of simfind, on standard error.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_SUMMARY_H
#define SIMHASH_CLI_FIND_SUMMARY_H

#include "cli/find_options.h"
#include "find/groups.h"

/* What a run found, as far as it came. */
struct find_outcome {
	struct find_counts counts;
	bool by_groups;	 /* groups were found without their pairs */
	uint64_t found;	 /* pairs that were kept */
	uint64_t groups; /* these two by groups alone */
	uint64_t grouped_files;
	int64_t copied_bytes;
	uint64_t left_out;   /* by --limit: pairs or groups */
	uint64_t unreadable; /* files */
	bool had_unreadable; /* files, also those of --update */
};

void count_groups(struct find_outcome *outcome, const struct group_list *groups);

/* The text, unless another summary or none is asked for. */
void print_find_summary(const struct find_arguments *arguments, const struct find_outcome *outcome);

/* The line of JSON, if it is asked for; `error` NULL: the run did not fail. */
void print_find_json(const struct find_arguments *arguments, const struct find_outcome *outcome,
		     int exit, double seconds, const struct simhash_error *error);

#endif
