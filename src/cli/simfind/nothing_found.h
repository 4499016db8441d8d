/*
 * Explains in one line on standard error why a search found nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_NOTHING_FOUND_H
#define SIMHASH_CLI_NOTHING_FOUND_H

#include "cli/simfind/find_summary.h"
#include "store/open/store.h"

/*
 * If nothing was found, write a line if the index is empty, if it does not contain a FILE, or if
 * other options may find something. With --quiet, write nothing.
 */
void explain_nothing(const struct find_plan *plan, struct store *store,
		     const struct find_outcome *outcome);

#endif
