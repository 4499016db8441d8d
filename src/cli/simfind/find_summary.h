/*
 * The summary of a run of simfind, on standard error.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_SUMMARY_H
#define SIMHASH_CLI_FIND_SUMMARY_H

#include <stdio.h>

#include "cli/simfind/find_plan.h"
#include "find/groups/group_sorter.h"
#include "store/write/find_run.h"

/* What a run found, as far as it came. */
struct find_outcome {
	struct find_counts counts;
	uint64_t found;	  /* pairs that were kept */
	uint64_t matches; /* of FILEs, in a list of them */
	uint64_t asked,
		unmatched; /* FILEs that were read; of those in a list of matches: without any */
	bool by_groups;	   /* the summary of JSON is about groups; these are of them alone */
	uint64_t groups, grouped_files, copies, similar;
	uint64_t copies_inside; /* of the copies: in archives */
	int64_t copied_bytes;
	uint64_t left_out;   /* by --limit: pairs or groups */
	uint64_t unreadable; /* files */
	bool had_unreadable; /* files, also those of --update */
	bool is_stored;	     /* by --store: what `stored` tells */
	struct find_run stored;
	char *next_step; /* of a list of folders: options of simkeep; or NULL */
};

void count_groups(struct find_outcome *outcome, const struct group_totals *totals);

/* The line of text. */
void write_find_summary(FILE *out, const struct find_plan *plan,
			const struct find_outcome *outcome);

/* "1,234 more groups left out by --limit", if there are. */
void write_left_out(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome);

/* What --store has stored, if anything was. */
void write_stored(FILE *out, const struct find_outcome *outcome);

/* All of these, unless another summary or none is asked for. */
void print_find_summary(const struct find_plan *plan, const struct find_outcome *outcome);

/* The next step for a person at a terminal, if there is one. */
void suggest_next_step(const struct find_plan *plan, const struct find_outcome *outcome);

/* The line of JSON, if it is asked for; `error` NULL: the run did not fail. */
void print_find_json(const struct find_arguments *arguments, const struct find_outcome *outcome,
		     int exit, double seconds, const struct simhash_error *error);

#endif
