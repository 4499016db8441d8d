/*
 * Names folders that are copies of other folders, or nearly, at the beginning of a list.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_WHOLE_FOLDERS_H
#define SIMHASH_CLI_WHOLE_FOLDERS_H

#include "cli/simfind/find_plan.h"
#include "store/open/store.h"

/*
 * Write a line for each of the folders that save the most. If there are more `files` than can be
 * compared, write the command that shows such folders.
 */
int write_whole_folders(FILE *out, const struct find_plan *plan, struct store *store,
			const struct listing *listing, uint64_t files, struct simhash_error *error);

#endif
