/*
 * simfind --compare: every measure of two files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_COMPARE_H
#define SIMHASH_CLI_COMPARE_H

#include <stdio.h>

#include "find/rule.h"
#include "simhash_measures.h"

/* Write what each measure says of two files, and one more, unless it is NULL. */
int compare_files(const char *path_a, const char *path_b, const struct simhash_tag_set *tags,
		  const struct find_rule *rule, const struct simhash_measure *measure, FILE *out,
		  struct simhash_error *error);

#endif
