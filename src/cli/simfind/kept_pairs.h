/*
 * What needs all pairs before it is written: groups, the report, confirmed pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEPT_PAIRS_H
#define SIMHASH_CLI_KEPT_PAIRS_H

#include "cli/options/find_options.h"
#include "report/lists/listing.h"
#include "report/page/html_page.h"
#include "store/open/store.h"

/* Are groups written, be it as groups, as the report, or folded? */
bool lists_groups(const struct find_arguments *arguments);

/* The share of --limits=memory that groups take while they wait to be listed: a quarter. */
#define GROUPS_SHARE 4

bool keeps_pairs(const struct find_arguments *arguments);

/* Do the options ask for the content of files? */
bool reads_files(const struct find_arguments *arguments);

/* Can the groups that are listed be found without their pairs? */
bool finds_groups(const struct find_arguments *arguments);

/* Add the groups of the pairs that were kept. */
int group_kept(const struct find_arguments *arguments, const struct pair_list *list,
	       struct group_sorter *groups, struct simhash_error *error);

/* Write groups that were put in order. */
int write_groups(const struct find_arguments *arguments, const struct find_counts *counts,
		 struct store *store, const struct group_sorter *groups, struct listing *listing,
		 struct simhash_error *error);

/* Of what a report is made. */
struct page_origin report_origin(const struct find_arguments *arguments);

#endif
