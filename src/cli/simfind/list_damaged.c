/*
 * Lists the files that simhash --scrub found damaged, and their intact copies.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/text/decimal.h"
#include "cli/simfind/find_tasks.h"
#include "cli/terminal/pager.h"
#include "find/rule/finder.h"
#include "presence/damaged.h"
#include "report/presence/damaged_list.h"

#define PROGRAM "simfind"

static int check_sides(const struct find_plan *plan, struct finder *finder,
		       struct simhash_error *error)
{
	const struct side_list *tops = &plan->arguments->tops;

	for (size_t i = 0; i < tops->count; i++)
		if (finder_check_side(finder, &tops->sides[i], error) != 0)
			return -1;
	return 0;
}

static int summarize(const struct find_plan *plan, struct listing *listing,
		     const struct damaged_list *found, struct simhash_error *error)
{
	char *text = NULL, count[32], bytes[32], intact[32];
	uint64_t with_copies = 0;
	int64_t all = 0;
	size_t size;
	FILE *out;

	if (!plan->shows_summary)
		return 0;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < found->count; i++) {
		add_size(&all, found->items[i].size_bytes);
		with_copies += found->items[i].copies > 0;
	}
	if (found->count == 0)
		fputs("No file is known to be damaged.", out);
	else
		fprintf(out, "%s file%s damaged: %s.", format_count(found->count, count),
			found->count == 1 ? " is" : "s are", format_bytes((double)all, bytes));
	if (found->count == 1)
		fputs(with_copies == 1 ? " It has an intact copy." : " It has no intact copy.",
		      out);
	else if (found->count > 1)
		fprintf(out, " %s of them %s an intact copy.", format_count(with_copies, intact),
			with_copies == 1 ? "has" : "have");
	return write_list_summary(listing, out, &text, error);
}

int list_damaged(const struct find_plan *plan, struct store *store, struct listing *listing,
		 struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct find_sink sink = {.context = NULL};
	struct find_resources resources = arguments->resources;
	struct damaged_list found = {.count = 0};
	struct finder finder;
	int status;

	if (finder_init(&finder, store, plan->request, &sink, &resources, error) != 0)
		return -1;
	status = check_sides(plan, &finder, error);
	if (status == 0)
		status = finder_damaged(&finder, arguments->tops.sides, arguments->tops.count,
					&found, error);
	if (status == 0) {
		outcome->damaged = outcome->found = found.count;
		for (size_t i = 0; i < found.count; i++)
			outcome->can_heal |= found.items[i].is_local &&
					     !found.items[i].damage.status_moved &&
					     found.items[i].source_count > 0 &&
					     found.items[i].sources[0].archive_bytes == 0;
		if (plan->has_pager)
			pager_start(PROGRAM);
		status = summarize(plan, listing, &found, error);
	}
	if (status == 0)
		status = listing_write_damaged(listing, &found, arguments->order.limit, error);
	outcome->left_out = listing->left_out;
	if (status == 0 && plan->shows_summary)
		write_left_out(listing->how.has_marks ? listing->file : stderr, plan, outcome);
	damaged_list_release(&found);
	finder_release(&finder);
	return status;
}
