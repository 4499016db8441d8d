/*
 * Outputs that need all pairs before they are written: groups, the report, confirmed pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEPT_PAIRS_H
#define SIMHASH_CLI_KEPT_PAIRS_H

#include "cli/simfind/find_plan.h"
#include "report/lists/listing.h"
#include "report/page/html_page.h"
#include "store/open/store.h"

/* Add the groups of the pairs that were kept. */
int group_kept(const struct find_plan *plan, const struct pair_list *list,
	       struct group_sorter *groups, struct simhash_error *error);

/* Write groups that were put in order. */
int write_groups(const struct find_plan *plan, const struct find_counts *counts,
		 struct store *store, const struct group_sorter *groups, struct listing *listing,
		 struct simhash_error *error);

/* Of what a report is made. */
struct page_origin report_origin(const struct find_plan *plan);

#endif
