/*
 * Declares the tasks of simfind other than listing pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_TASKS_H
#define SIMHASH_CLI_FIND_TASKS_H

#include <stdio.h>

#include "cli/options/find_options.h"

/* --compare: write the result of each measure for two files, and of `measure` if it is not NULL. */
int compare_files(const char *path_a, const char *path_b, const struct simhash_tag_set *tags,
		  const struct find_rule *rule, const struct simhash_measure *measure, FILE *out,
		  struct simhash_error *error);

/* --update: index the DIRs. */
int update_index(const struct find_arguments *arguments, bool *had_unreadable,
		 struct simhash_error *error);

#endif
