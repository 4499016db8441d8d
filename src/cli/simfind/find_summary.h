/*
 * Prints the summary of a simfind run to standard error.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_SUMMARY_H
#define SIMHASH_CLI_FIND_SUMMARY_H

#include <stdio.h>

#include "cli/simfind/find_plan.h"
#include "find/groups/group_sorter.h"
#include "report/lists/listing.h"
#include "store/write/find_run.h"

/* The result of a run, which may be incomplete. */
struct find_outcome {
	struct find_counts counts;
	uint64_t found;	  /* pairs that were kept */
	uint64_t matches; /* the number of matches, in a list of the matches of FILEs */
	uint64_t asked,
		/* The FILEs that were read; for a list of matches, the FILEs without a match. */
		unmatched;
	/* The JSON summary counts groups; the next numbers are only set for groups. */
	bool by_groups;
	uint64_t groups, grouped_files, copies, similar;
	uint64_t copies_inside; /* the copies that are in archives */
	uint64_t shared;	/* the copies that already share their blocks */
	int64_t copied_bytes;
	uint64_t excluded; /* for --missing: files that options left out, so nobody examined them */
	uint64_t missing;  /* for --missing: the missing files, and files that nobody could read */
	uint64_t damaged;  /* for --damaged: the damaged files */
	uint64_t left_out; /* the pairs or groups that --limit omits */
	uint64_t unreadable; /* the number of files */
	bool had_unreadable; /* some files were unreadable, also during --update */
	bool is_stored;	     /* --store has stored `stored` */
	struct find_run stored;
	bool can_heal;	  /* simkeep --heal would heal a damaged file */
	char *next_step;  /* the options of simkeep, which is the next step; or NULL */
	char *next_paths; /* the same for simhash */
};

void count_groups(struct find_outcome *outcome, const struct group_totals *totals);

/* Write the summary line for people. */
void write_find_summary(FILE *out, const struct find_plan *plan,
			const struct find_outcome *outcome);

/* Write "1,234 more groups left out by --limit", if the limit omits any. */
void write_left_out(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome);

/* Write what --store has stored, if it has stored anything. */
void write_stored(FILE *out, const struct find_outcome *outcome);

/* Write all of these to standard error, unless another summary or none is wanted. */
void print_find_summary(const struct find_plan *plan, const struct find_outcome *outcome);

/*
 * Close and free the memory stream of the summary of a list, and write its text: above a list on a
 * terminal, otherwise to standard error.
 */
int write_list_summary(struct listing *listing, FILE *out, char **text,
		       struct simhash_error *error);

/* If output is to a terminal, suggest the next step, if there is one. */
void suggest_next_step(const struct find_plan *plan, const struct find_outcome *outcome);

/* Write the JSON line, if it is wanted. `error` is NULL if the run succeeded. */
void print_find_json(const struct find_arguments *arguments, const struct find_outcome *outcome,
		     int exit, double seconds, const struct simhash_error *error);

#endif
