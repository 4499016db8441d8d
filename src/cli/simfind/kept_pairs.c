/*
 * Turns kept pairs into groups, and writes groups and the report.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/kept_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "cli/simfind/whole_folders.h"
#include "cli/terminal/terminal.h"
#include "report/lineage/lineage.h"
#include "report/page/html.h"
#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/names/tag_sets.h"

#define PROGRAM "simfind"

#define DIRECTORIES_MAX 1000 /* the most directories that a page names */

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

/* ---- The searched directories ---- */

bool is_this_host(const struct find_plan *plan, const struct find_side *side)
{
	return side->host == NULL || strcmp(side->host, plan->request->host) == 0;
}

bool are_of_one_host(const struct find_plan *plan, const struct find_side *x,
		     const struct find_side *y)
{
	bool is_here = is_this_host(plan, x);

	return is_here == is_this_host(plan, y) && (is_here || strcmp(x->host, y->host) == 0);
}

char *side_name(const struct find_plan *plan, const struct find_side *side, size_t *size)
{
	struct bytes path = side->directory.size == 0 ? bytes_of("/") : side->directory;
	const char *host = is_this_host(plan, side) ? "" : side->host;
	char *text = NULL;
	int length = asprintf(&text, "%s%s%.*s", host, host[0] == '\0' ? "" : ":", (int)path.size,
			      path.data);

	*size = length < 0 ? 0 : (size_t)length;
	return length < 0 ? NULL : text;
}

/* Most roots are in the list already, because each run of simhash records its roots again. */
static bool has_directory(const struct page_origin *origin, const char *name)
{
	for (size_t i = 0; i < origin->directory_count; i++)
		if (strcmp(origin->directories[i], name) == 0)
			return true;
	return false;
}

static int add_directory(struct page_origin *origin, const struct find_plan *plan,
			 const struct find_side *side, struct simhash_error *error)
{
	size_t size;
	char *name;

	if (origin->directory_count == DIRECTORIES_MAX)
		return 0;
	name = side_name(plan, side, &size);
	if (name == NULL)
		return error_set_memory(error);
	if (has_directory(origin, name)) {
		free(name);
		return 0;
	}
	if (array_reserve(&origin->directories, &origin->directory_capacity,
			  origin->directory_count + 1, sizeof *origin->directories, error) != 0) {
		free(name);
		return -1;
	}
	origin->directories[origin->directory_count++] = name;
	return 0;
}

/* All files of the index are searched: add the roots of the runs of simhash. */
static int add_roots(struct page_origin *origin, const struct find_plan *plan, struct store *store,
		     struct simhash_error *error)
{
	struct scan_run_list list;
	struct name_list hosts;
	int64_t tag_set;
	int status = 0;

	if (store_tag_set_id(store, plan->request->tags, false, &tag_set, error) != 0 ||
	    store_read_hosts(store, &hosts, error) != 0)
		return -1;
	if (store_read_runs(store, &list, error) != 0) {
		name_list_release(&hosts);
		return -1;
	}
	for (size_t i = 0; status == 0 && i < list.count; i++) {
		const struct scan_run *run = &list.runs[i];
		const struct name *host = name_list_find(&hosts, run->scope.host);
		struct find_side side = {host == NULL ? "?" : host->text.data, run->root};
		if (run->scope.tag_set == tag_set && run->root.size > 0 && run->root.data[0] == '/')
			status = add_directory(origin, plan, &side, error);
	}
	scan_run_list_release(&list);
	name_list_release(&hosts);
	return status;
}

static int add_directories(struct page_origin *origin, const struct find_plan *plan,
			   struct store *store, struct simhash_error *error)
{
	const struct find_request *request = plan->request;
	const struct find_arguments *arguments = plan->arguments;
	bool has_sides = request->has_between && request->against == NULL;
	const struct find_side *sides = has_sides ? request->between : arguments->tops.sides;
	size_t count = has_sides ? 2 : arguments->tops.count;
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++)
		status = add_directory(origin, plan, &sides[i], error);
	for (size_t i = 0; status == 0 && count == 0 && i < request->below_count; i++) {
		const struct find_side side = {.directory = request->below[i]};
		status = add_directory(origin, plan, &side, error);
	}
	if (status == 0 && count == 0 && request->below_count == 0)
		status = add_roots(origin, plan, store, error);
	return status;
}

int report_origin(const struct find_plan *plan, struct store *store, struct page_origin *origin,
		  struct simhash_error *error)
{
	*origin = (struct page_origin){.index = plan->index_url,
				       .host = plan->request->host,
				       .words = plan->arguments->words,
				       .word_count = plan->arguments->word_count};
	if (add_directories(origin, plan, store, error) == 0)
		return 0;
	report_origin_release(origin);
	return -1;
}

void report_origin_release(struct page_origin *origin)
{
	for (size_t i = 0; i < origin->directory_count; i++)
		free(origin->directories[i]);
	free(origin->directories);
	*origin = (struct page_origin){.directory_count = 0};
}

/* ---- The report ---- */

static bool has_whole_folders(const struct find_plan *plan, const struct find_counts *counts,
			      const struct group_sorter *groups)
{
	return groups->totals.copied_bytes > 0 && searches_whole_folders(plan) &&
	       counts->rows <= WHOLE_FOLDERS_FILES_MAX;
}

/* Add the directories and the whole folders, and write the page. */
static int complete_report(struct report *report, const struct find_plan *plan, struct store *store,
			   FILE *out, struct simhash_error *error)
{
	struct folder_pairs found;
	int status;

	if (report_origin(plan, store, &report->origin, error) != 0)
		return -1;
	if (!has_whole_folders(plan, &report->counts, report->groups))
		return report_write(out, report, error);
	if (find_whole_folders(plan, store, &found, error) != 0)
		return -1;
	report->folders = &found;
	status = report_write(out, report, error);
	folder_pairs_release(&found);
	return status;
}

static int write_report(const struct find_plan *plan, const struct find_counts *counts,
			struct store *store, struct listing *listing,
			const struct group_sorter *groups, struct simhash_error *error)
{
	struct key_space space;
	struct report report = {.with_pictures = plan->arguments->thumbnails,
				.without_copies = plan->request->kinds != 0 &&
						  (plan->request->kinds & PAIRS_COPIES) == 0,
				.with_lineage = plan->arguments->lineage,
				.order = &plan->arguments->order,
				.groups = groups,
				.space = &space,
				.tags = plan->request->tags,
				.rule = &plan->request->rule,
				.damages = listing->how.damages,
				.counts = *counts,
				.unreadable = content_unreadable,
				.context = listing};
	int64_t tag_set;
	int status;

	if (store_tag_set_id(store, report.tags, false, &tag_set, error) != 0 ||
	    key_space_read(store, report.tags, tag_set, &space, error) != 0)
		return -1;
	status = complete_report(&report, plan, store, listing->file, error);
	if (status == 0)
		status = listing_check(listing, error);
	if (report.order->limit > 0 && groups->totals.groups > report.order->limit)
		listing->left_out = groups->totals.groups - report.order->limit;
	report_origin_release(&report.origin);
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
