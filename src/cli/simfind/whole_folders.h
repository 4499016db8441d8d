/*
 * Finds folders that are copies of other folders, or nearly, and names them at the beginning of a
 * list.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_WHOLE_FOLDERS_H
#define SIMHASH_CLI_WHOLE_FOLDERS_H

#include "cli/simfind/find_plan.h"
#include "find/folders/folders.h"
#include "store/open/store.h"

#define WHOLE_FOLDERS_FILES_MAX 1000000 /* with more files, comparing folders takes too long */

/* Are all files searched? If only some files are searched, a copied folder cannot be recognized. */
bool searches_whole_folders(const struct find_plan *plan);

/* Find the folders below the directories of the request. On success the caller releases them. */
int find_whole_folders(const struct find_plan *plan, struct store *store,
		       struct folder_pairs *found, struct simhash_error *error);

/*
 * Write a line for each of the folders whose removal frees the most space. If there are too many
 * `files` to compare all folders here, write the command that compares them instead.
 */
int write_whole_folders(FILE *out, const struct find_plan *plan, struct store *store,
			const struct listing *listing, uint64_t files, struct simhash_error *error);

#endif
