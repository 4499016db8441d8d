/*
 * Declares the options of simfind and the parser of its command line.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_OPTIONS_H
#define SIMHASH_CLI_FIND_OPTIONS_H

#include "cli/options/find_arguments.h"

extern const struct option_program find_program;

void find_arguments_init(struct find_arguments *arguments);
void find_arguments_release(struct find_arguments *arguments);

/* Returns 0 to continue, 1 if the program is done (--help, --version), -1 for a wrong option. */
int find_arguments_parse(struct find_arguments *arguments, int argc, char **argv,
			 struct simhash_error *error);

#endif
