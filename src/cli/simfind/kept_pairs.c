/*
 * Turns kept pairs into groups, and writes groups and the report.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/kept_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "cli/terminal/terminal.h"
#include "report/lineage/lineage.h"
#include "report/page/html.h"
#include "store/names/tag_sets.h"

#define PROGRAM "simfind"

int group_kept(const struct find_plan *plan, const struct pair_list *list,
	       struct group_sorter *groups, struct simhash_error *error)
{
	struct group_list made;
	int status = group_pairs(list, plan->request, plan->arguments->linkage, &made, error);

	if (status == 0)
		status = group_sorter_add(groups, &made, error);
	group_list_release(&made);
	return status;
}

static void content_unreadable(void *context, const struct find_file *file, int system_errno)
{
	struct listing *listing = context;
	char text[256];

	listing->unreadable++;
	snprintf(text, sizeof text, "%s; the report does not show its content",
		 strerror(system_errno));
	say_path(PROGRAM, find_file_display(file), text);
}

struct page_origin report_origin(const struct find_plan *plan)
{
	return (struct page_origin){.index = plan->index_url,
				    .host = plan->request->host,
				    .words = plan->arguments->words,
				    .word_count = plan->arguments->word_count};
}

static int write_report(const struct find_plan *plan, const struct find_counts *counts,
			struct store *store, struct listing *listing,
			const struct group_sorter *groups, struct simhash_error *error)
{
	struct key_space space;
	struct report report = {.origin = report_origin(plan),
				.with_pictures = plan->arguments->thumbnails,
				.with_lineage = plan->arguments->lineage,
				.order = &plan->arguments->order,
				.groups = groups,
				.space = &space,
				.tags = plan->request->tags,
				.rule = &plan->request->rule,
				.counts = *counts,
				.unreadable = content_unreadable,
				.context = listing};
	int64_t tag_set;
	int status;

	if (store_tag_set_id(store, report.tags, false, &tag_set, error) != 0 ||
	    key_space_read(store, report.tags, tag_set, &space, error) != 0)
		return -1;
	status = report_write(listing->file, &report, error);
	if (status == 0)
		status = listing_check(listing, error);
	if (report.order->limit > 0 && groups->totals.groups > report.order->limit)
		listing->left_out = groups->totals.groups - report.order->limit;
	key_space_release(&space);
	return status;
}

int write_groups(const struct find_plan *plan, const struct find_counts *counts,
		 struct store *store, const struct group_sorter *groups, struct listing *listing,
		 struct simhash_error *error)
{
	if (plan->list == LIST_REPORT)
		return write_report(plan, counts, store, listing, groups, error);
	if (plan->list == LIST_LINEAGES)
		return listing_write_lineages(listing, groups, error);
	return plan->shows_blocks ? listing_write_blocks(listing, groups, error)
				  : listing_write_groups(listing, groups, error);
}
