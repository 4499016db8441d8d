/*
 * Defines the data of a report.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_REPORT_H
#define SIMHASH_REPORT_REPORT_H

#include "find/folders/folders.h"
#include "find/groups/group_sorter.h"
#include "find/rule/find.h"
#include "report/lists/key_space.h"
#include "report/lists/order.h"
#include "report/page/html_page.h"

struct report {
	struct page_origin origin;
	bool with_pictures;
	bool without_copies; /* the request leaves out copies */
	bool with_lineage;   /* write a tree of versions for each group */
	/* The order of the groups; groups beyond its limit are left out. */
	const struct listing_order *order;
	const struct group_sorter *groups;
	const struct folder_pairs *folders; /* NULL: folders were not compared */
	const struct key_space *space;
	const struct simhash_tag_set *tags;
	const struct find_rule *rule;
	struct damage_finder *damages; /* finds damaged copies; or NULL */
	struct find_counts counts;
	/*
	 * Called for a file that exists and has not changed, but cannot be read. The page does not
	 * show its content.
	 */
	void (*unreadable)(void *context, const struct find_file *file, int system_errno);
	void *context;
};

#endif
