/*
 * Declares the tasks of simfind other than listing pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_TASKS_H
#define SIMHASH_CLI_FIND_TASKS_H

#include <stdio.h>

#include "cli/simfind/find_summary.h"
#include "report/lists/listing.h"
#include "store/open/store.h"

/* --compare: write the result of each measure for two files, and of `measure` if it is not NULL. */
int compare_files(const char *path_a, const char *path_b, const struct simhash_tag_set *tags,
		  const struct find_rule *rule, const struct simhash_measure *measure, FILE *out,
		  struct simhash_error *error);

/* --update: index the DIRs. */
int update_index(const struct find_arguments *arguments, bool *had_unreadable,
		 struct simhash_error *error);

/* A task that lists something other than pairs. It writes the list, and sets the outcome. */
typedef int list_task_fn(const struct find_plan *plan, struct store *store, struct listing *listing,
			 struct find_outcome *outcome, struct simhash_error *error);

list_task_fn list_folders;  /* --directories */
list_task_fn list_presence; /* --missing and --copies */
list_task_fn list_damaged;  /* --damaged */
list_task_fn list_order;    /* --order */
/* --cover: a file that cannot be read is reported and counted, and the next ones are covered. */
list_task_fn list_cover;

/*
 * If a list on a terminal has no similar file, search again with other options. If this finds more,
 * write the command as the next step.
 */
void suggest_finding_more(const struct find_plan *plan, struct store *store,
			  const struct find_outcome *outcome);

#endif
