/*
 * simfind --compare: every measure of two files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_COMPARE_H
#define SIMHASH_CLI_COMPARE_H

#include <stdio.h>

#include "find/rule.h"
#include "simhash.h"

/*
 * Write what each measure says of two files. 1 when a file could not be read, which is then
 * said in the error; -1 for any other failure.
 */
int compare_files(const char *path_a, const char *path_b, const struct simhash_tag_set *tags,
		  const struct find_rule *rule, FILE *out, struct simhash_error *error);

#endif
