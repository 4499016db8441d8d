/*
 * Finds the order of the files, lists them, and writes a summary.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/files/open_file.h"
#include "cli/simfind/list_pairs.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "report/lists/file_order.h"

#define PROGRAM "simfind"

static void count_files(const struct file_order *order, struct find_outcome *outcome,
			int64_t *bytes, int64_t *shared_bytes)
{
	*bytes = *shared_bytes = 0;
	for (size_t i = 0; i < order->count; i++) {
		const struct ordered_file *file = &order->files[i];
		add_size(bytes, file->size_bytes);
		add_size(shared_bytes, file->shared_bytes);
		outcome->copies += file->is_copy;
		outcome->similar += file->reference != NO_REFERENCE && !file->is_copy;
	}
	outcome->found = outcome->copies + outcome->similar;
}

static void write_summary(FILE *out, const struct file_order *order,
			  const struct find_outcome *outcome, int64_t bytes, int64_t shared_bytes)
{
	char files[32], all[32], copies[32], similar[32], shared[32];

	fprintf(out, "%s file%s, %s: %s identical and %s similar to an earlier file",
		format_count(order->count, files), order->count == 1 ? "" : "s",
		format_bytes((double)bytes, all), format_count(outcome->copies, copies),
		format_count(outcome->similar, similar));
	if (outcome->found > 0)
		fprintf(out, "; earlier files have %s of the content",
			format_bytes((double)shared_bytes, shared));
	fputc('.', out);
}

/* On a terminal, the summary is above the list. */
static int summarize(const struct find_plan *plan, struct listing *listing,
		     const struct file_order *order, struct find_outcome *outcome,
		     struct simhash_error *error)
{
	int64_t bytes, shared_bytes;
	char *text = NULL;
	size_t size;
	FILE *out;

	count_files(order, outcome, &bytes, &shared_bytes);
	if (!plan->shows_summary)
		return 0;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_summary(out, order, outcome, bytes, shared_bytes);
	return write_list_summary(listing, out, &text, error);
}

int list_order(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_sink sink = {.context = NULL};
	struct file_order order = {.count = 0};
	struct finder finder;
	int status;

	if (finder_init(&finder, store, plan->request, &sink, &plan->arguments->resources, error) !=
	    0)
		return -1;
	status = finder_order(&finder, &order, error);
	if (status == 0 && plan->has_pager)
		pager_start(PROGRAM);
	if (status == 0)
		status = summarize(plan, listing, &order, outcome, error);
	if (status == 0)
		status = listing_write_order(listing, &order, plan->arguments->with_references,
					     error);
	file_order_release(&order);
	finder_release(&finder);
	return status;
}
