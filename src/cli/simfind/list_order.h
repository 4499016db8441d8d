/*
 * Implements simfind --order: lists all files so that similar files are near each other.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_LIST_ORDER_H
#define SIMHASH_CLI_LIST_ORDER_H

#include "cli/simfind/find_summary.h"
#include "report/lists/listing.h"
#include "store/open/store.h"

int list_order(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error);

#endif
