/*
 * Why a search has found nothing, in one line on standard error.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_NOTHING_FOUND_H
#define SIMHASH_CLI_NOTHING_FOUND_H

#include "cli/simfind/find_summary.h"
#include "store/open/store.h"

/*
 * Say so if the index is empty, if it does not cover a FILE, or if other options may find something;
 * unless something was found, or with --quiet.
 */
void explain_nothing(const struct find_plan *plan, struct store *store,
		     const struct find_outcome *outcome);

#endif
