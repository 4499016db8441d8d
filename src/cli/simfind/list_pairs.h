/*
 * Finds the similar files that the options ask for, and writes their list and a summary.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_LIST_PAIRS_H
#define SIMHASH_CLI_LIST_PAIRS_H

#include "cli/simfind/find_summary.h"
#include "report/lists/listing.h"
#include "store/open/store.h"

/* Find and confirm pairs and write the list; then write the summary to standard error. */
int list_pairs(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error);

#endif
