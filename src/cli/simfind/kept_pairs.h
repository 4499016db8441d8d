/*
 * Writes the outputs that need all pairs first: groups, the report and confirmed pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEPT_PAIRS_H
#define SIMHASH_CLI_KEPT_PAIRS_H

#include "cli/simfind/find_plan.h"
#include "report/lists/listing.h"
#include "report/page/html_page.h"
#include "store/open/store.h"

/* Add the groups of the pairs that were kept to `groups`. */
int group_kept(const struct find_plan *plan, const struct pair_list *list,
	       struct group_sorter *groups, struct simhash_error *error);

/* Write groups that are sorted already. */
int write_groups(const struct find_plan *plan, const struct find_counts *counts,
		 struct store *store, const struct group_sorter *groups, struct listing *listing,
		 struct simhash_error *error);

bool is_this_host(const struct find_plan *plan, const struct find_side *side);
bool are_of_one_host(const struct find_plan *plan, const struct find_side *x,
		     const struct find_side *y);

/*
 * Return "HOST:PATH", or "PATH" on this host, with a zero at the end. The caller frees it. NULL:
 * out of memory.
 */
char *side_name(const struct find_plan *plan, const struct find_side *side, size_t *size);

/* On success the caller releases the origin. */
int report_origin(const struct find_plan *plan, struct store *store, struct page_origin *origin,
		  struct simhash_error *error);
void report_origin_release(struct page_origin *origin);

#endif
