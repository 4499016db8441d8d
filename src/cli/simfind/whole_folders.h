/*
 * Names whole folders that are copies of others, or nearly, in the head of a list.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_WHOLE_FOLDERS_H
#define SIMHASH_CLI_WHOLE_FOLDERS_H

#include "cli/simfind/find_plan.h"
#include "store/open/store.h"

/* Write a line for each folder that saves the most; or how to see them, if there are many `files`. */
int write_whole_folders(FILE *out, const struct find_plan *plan, struct store *store,
			const struct listing *listing, uint64_t files, struct simhash_error *error);

#endif
