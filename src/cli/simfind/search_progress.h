/*
 * Shows the progress of a search: first rows are read, then they are searched, then pairs are
 * confirmed.
 *
 *     struct find_resources resources = arguments->resources;
 *
 *     search_progress_start(&search, plan, &resources);
 *     ... search with these resources ...
 *     search_progress_stop(&search);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SEARCH_PROGRESS_H
#define SIMHASH_CLI_SEARCH_PROGRESS_H

#include "cli/simfind/find_plan.h"
#include "cli/terminal/progress_line.h"

struct search_progress {
	struct find_progress done;
	struct progress_display display;
	struct time_left reading, searching, confirming;
	bool counts_pairs;
};

/* If the plan shows progress, show it, and let the search update it. */
void search_progress_start(struct search_progress *search, const struct find_plan *plan,
			   struct find_resources *resources);
void search_progress_stop(struct search_progress *search);

#endif
