/*
 * Finds the folders with the most copies. It counts only identical files, so it takes about a
 * fourth of the time that groups take.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/whole_folders.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/text/escape.h"
#include "find/folders/folders.h"
#include "report/folders/folders.h"
#include "report/lists/marked.h"

#define MIN_SHARED 0.9 /* the minimum for a folder that is nearly a copy */
#define SHOWN_MAX 3
/* A folder is shown if it saves at least 1/10 as much as the first folder. */
#define LEAST_OF_FIRST 10
#define SEE "See: simfind --directories"

static int write_name(FILE *out, const struct folder_pairs *found, uint32_t folder,
		      const struct listing *listing, struct simhash_error *error)
{
	size_t size;
	char *name = folder_name(found, &found->tree.folders[folder], &size);
	char *text = name == NULL ? NULL : escape_text((struct bytes){name, size}, &size);
	struct bytes shown = {text, size};

	free(name);
	if (text == NULL)
		return error_set_memory(error);
	shown = without_prefix(shown, listing_prefix(listing));
	fwrite(shown.data, 1, shown.size, out);
	free(text);
	return 0;
}

/* Write "docs-old is a copy of docs.", "All of docs-old is in docs." or "docs-old is 99 % in docs." */
static int write_pair(FILE *out, const struct folder_pairs *found, const struct folder_pair *pair,
		      const struct listing *listing, struct simhash_error *error)
{
	unsigned percent = (unsigned)(100 * folder_shared(&pair->a));

	if (pair->kind == FOLDERS_CONTAINED)
		fputs("All of ", out);
	if (write_name(out, found, pair->folder_a, listing, error) != 0)
		return -1;
	if (pair->kind == FOLDERS_IDENTICAL)
		fputs(" is a copy of ", out);
	else if (pair->kind == FOLDERS_CONTAINED)
		fputs(" is in ", out);
	else
		fprintf(out, " is %u %% in ", percent > 99 ? 99 : percent);
	if (write_name(out, found, pair->folder_b, listing, error) != 0)
		return -1;
	fputc('.', out);
	return 0;
}

/* The list already shows single files, so a folder with one file gets no line. */
static bool is_shown(const struct folder_pair *pair, const struct folder_pair *first)
{
	return pair->a.files > 1 && pair->saved_bytes > 0 &&
	       (first == NULL || pair->saved_bytes >= first->saved_bytes / LEAST_OF_FIRST);
}

static int write_first(FILE *out, const struct folder_pairs *found, const struct listing *listing,
		       struct simhash_error *error)
{
	const struct folder_pair *first = NULL;
	size_t shown = 0;

	for (size_t i = 0; i < found->count && shown < SHOWN_MAX; i++) {
		const struct folder_pair *pair = &found->pairs[i];
		if (!is_shown(pair, first))
			continue;
		if (first == NULL)
			first = pair;
		fputs(shown++ > 0 ? "\n" : "", out);
		if (write_pair(out, found, pair, listing, error) != 0)
			return -1;
	}
	if (shown > 0)
		fputs(" " SEE "\n", out);
	return 0;
}

bool searches_whole_folders(const struct find_plan *plan)
{
	const struct find_request *request = plan->request;

	return !plan->has_files && !request->has_between && request->takes == NULL &&
	       request->known == NULL;
}

int find_whole_folders(const struct find_plan *plan, struct store *store,
		       struct folder_pairs *found, struct simhash_error *error)
{
	const struct find_request *request = plan->request;
	const struct find_sink sink = {.context = NULL};
	struct folder_request wanted = {.min_shared = MIN_SHARED};
	struct find_side *sides = calloc(request->below_count + 1, sizeof *sides);
	struct finder finder;
	int status = -1;

	if (sides == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < request->below_count; i++)
		sides[i].directory = request->below[i];
	wanted.sides = sides;
	wanted.side_count = request->below_count;
	if (finder_init(&finder, store, request, &sink, &plan->arguments->resources, error) == 0) {
		status = finder_folders(&finder, &wanted, found, error);
		finder_release(&finder);
	}
	free(sides);
	return status;
}

int write_whole_folders(FILE *out, const struct find_plan *plan, struct store *store,
			const struct listing *listing, uint64_t files, struct simhash_error *error)
{
	struct folder_pairs found;
	int status;

	if (plan->list != LIST_FOLDED || !searches_whole_folders(plan))
		return 0;
	if (files > WHOLE_FOLDERS_FILES_MAX) {
		fputs("To compare whole directories, use simfind --directories.\n", out);
		return 0;
	}
	if (find_whole_folders(plan, store, &found, error) != 0)
		return -1;
	status = write_first(out, &found, listing, error);
	folder_pairs_release(&found);
	return status;
}
