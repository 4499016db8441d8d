/*
 * Implements simfind --directories: lists similar folders, or compares two folders file by file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_LIST_FOLDERS_H
#define SIMHASH_CLI_LIST_FOLDERS_H

#include "cli/simfind/find_summary.h"
#include "report/lists/listing.h"
#include "store/open/store.h"

int list_folders(const struct find_plan *plan, struct store *store, struct listing *listing,
		 struct find_outcome *outcome, struct simhash_error *error);

#endif
