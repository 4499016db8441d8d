/*
 * Suggests options that find more matches of FILEs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_MORE_H
#define SIMHASH_CLI_FIND_MORE_H

#include "cli/simfind/find_summary.h"
#include "store/open/store.h"

/*
 * If a list on a terminal has no similar file, search again with other options. If this finds more,
 * write the command as the next step.
 */
void suggest_finding_more(const struct find_plan *plan, struct store *store,
			  const struct find_outcome *outcome);

#endif
