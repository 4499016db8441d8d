/*
 * The operands of simfind: FILEs, also those of --files0-from.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_OPERANDS_H
#define SIMHASH_CLI_FIND_OPERANDS_H

#include "cli/find_options.h"

int take_files(struct find_arguments *arguments, int count, char **files,
	       struct simhash_error *error);

#endif
