/*
 * Finds files on the disk that a plan does not know, because the index does not have them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_UNINDEXED_H
#define SIMHASH_CLI_UNINDEXED_H

#include "cli/simkeep/changes.h"
#include "keep/tree.h"

/*
 * Read all directories of the sources, and report files that are not in `changes`, which are
 * sorted, and directories that cannot be read. Add their number to *left.
 */
int unindexed_report(const struct tree_request *request, const struct changes *changes,
		     uint64_t *left, struct simhash_error *error);

/* Does a directory exist, and is it not empty? */
bool directory_has_entries(const char *path);

#endif
