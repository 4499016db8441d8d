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

bool reads_files(const struct find_arguments *arguments)
{
	return arguments->request.rule.verify.mode >= VERIFY_READ;
}

bool lists_groups(const struct find_arguments *arguments)
{
	return arguments->has_groups || arguments->folds ||
	       (arguments->formatter->is_report && !arguments->directories);
}

bool finds_groups(const struct find_arguments *arguments)
{
	/* Pairs that are stored are read, too: once is enough. */
	bool reads_pairs = arguments->stores && arguments->stored_pairs_max > 0 &&
			   reads_files(arguments);

	return lists_groups(arguments) && !reads_pairs && !arguments->operands.has_files &&
	       finder_finds_groups(&arguments->request);
}

bool keeps_pairs(const struct find_arguments *arguments)
{
	if (finds_groups(arguments))
		return false;
	return lists_groups(arguments) || reads_files(arguments) ||
	       (arguments->stores && !finder_finds_groups(&arguments->request));
}

int group_kept(const struct find_arguments *arguments, const struct pair_list *list,
	       struct group_sorter *groups, struct simhash_error *error)
{
	struct group_list made;
	int status = group_pairs(list, &arguments->request, arguments->linkage, &made, error);

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

struct page_origin report_origin(const struct find_arguments *arguments)
{
	return (struct page_origin){.index = arguments->index_url,
				    .host = arguments->request.host,
				    .words = arguments->words,
				    .word_count = arguments->word_count};
}

static int write_report(const struct find_arguments *arguments, const struct find_counts *counts,
			struct store *store, struct listing *listing,
			const struct group_sorter *groups, struct simhash_error *error)
{
	struct key_space space;
	struct report report = {.origin = report_origin(arguments),
				.with_pictures = arguments->thumbnails,
				.with_lineage = arguments->lineage,
				.order = &arguments->order,
				.groups = groups,
				.space = &space,
				.tags = arguments->request.tags,
				.rule = &arguments->request.rule,
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
	if (arguments->order.limit > 0 && groups->totals.groups > arguments->order.limit)
		listing->left_out = groups->totals.groups - arguments->order.limit;
	key_space_release(&space);
	return status;
}

int write_groups(const struct find_arguments *arguments, const struct find_counts *counts,
		 struct store *store, const struct group_sorter *groups, struct listing *listing,
		 struct simhash_error *error)
{
	if (arguments->formatter->is_report)
		return write_report(arguments, counts, store, listing, groups, error);
	if (arguments->lineage)
		return listing_write_lineages(listing, groups, error);
	return arguments->folds ? listing_write_folded(listing, groups, error)
				: listing_write_groups(listing, groups, error);
}
