/*
 * Covers the FILEs one after another, and lists each cover at once.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include "cli/terminal/terminal.h"
#include "find/query/file_cover.h"
#include "report/lists/cover_list.h"

#define PROGRAM "simfind"

static void report_unreadable(void *context, struct bytes path, int system_errno)
{
	struct find_outcome *outcome = context;

	outcome->unreadable++;
	outcome->had_unreadable = true;
	say_path(PROGRAM, path, explain_errno(system_errno));
}

static int cover_one(const char *path, struct finder *finder, struct listing *listing,
		     struct find_outcome *outcome, struct simhash_error *error)
{
	struct file_cover cover;
	int status = finder_cover(finder, path, &cover, error);

	if (status == 1) {
		status = listing_write_cover(listing, bytes_of(path == NULL ? "-" : path), &cover,
					     outcome->asked, error);
		outcome->asked++;
		outcome->found += cover.count;
	}
	file_cover_release(&cover);
	return status;
}

int list_cover(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_sink sink = {.context = outcome, .unreadable = report_unreadable};
	const struct operands *operands = &plan->arguments->operands;
	struct finder finder;
	int status = 0;

	if (finder_init(&finder, store, plan->request, &sink, &plan->arguments->resources, error) !=
	    0)
		return -1;
	listing_begin_covers(listing);
	for (size_t i = 0; status == 0 && i < operands->query_count; i++)
		status = cover_one(operands->queries[i], &finder, listing, outcome, error);
	if (status == 0)
		status = listing_end_covers(listing, outcome->asked, error);
	outcome->similar = outcome->found;
	finder_release(&finder);
	return status;
}
