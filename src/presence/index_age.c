/*
 * Reads from the recorded runs of simhash how old the rows of some directories are.
 * SPDX-License-Identifier: MIT
 */
#include "presence/index_age.h"

#include "base/files/path.h"

static bool covers(const struct finder *finder, const struct scan_run *run,
		   const struct find_side *side)
{
	int64_t host = side->host == NULL ? finder->local_host
					  : name_list_id(&finder->hosts, side->host);

	return run->scope.host == host && run->scope.tag_set == finder->tag_set &&
	       (path_is_at_or_below(side->directory, run->root) ||
		path_is_at_or_below(run->root, side->directory));
}

/* Is there a later run of the same root? */
static bool is_repeated(const struct scan_run_list *list, size_t at)
{
	const struct scan_run *run = &list->runs[at];

	for (size_t i = at + 1; i < list->count; i++)
		if (list->runs[i].scope.host == run->scope.host &&
		    list->runs[i].scope.tag_set == run->scope.tag_set &&
		    list->runs[i].finished_at_ns != 0 &&
		    path_is_at_or_below(run->root, list->runs[i].root))
			return true;
	return false;
}

uint64_t runs_unfinished(const struct finder *finder, const struct scan_run_list *list,
			 const struct find_side *side)
{
	uint64_t unfinished = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct scan_run *run = &list->runs[i];
		bool is_finished = run->finished_at_ns != 0 || !covers(finder, run, side);
		for (size_t k = 0; !is_finished && k < list->count; k++)
			is_finished = list->runs[k].scope.host == run->scope.host &&
				      list->runs[k].scope.tag_set == run->scope.tag_set &&
				      list->runs[k].finished_at_ns != 0 &&
				      path_is_at_or_below(run->root, list->runs[k].root);
		unfinished += !is_finished;
	}
	return unfinished;
}

struct index_age index_age_of(const struct finder *finder, const struct scan_run_list *list,
			      const struct find_side *sides, size_t count)
{
	struct index_age age = {.errors = 0};

	for (size_t i = 0; i < list->count; i++) {
		const struct scan_run *run = &list->runs[i];
		bool is_covered = count == 0;
		for (size_t k = 0; k < count; k++)
			is_covered = is_covered || covers(finder, run, &sides[k]);
		age.was_begun = age.was_begun || is_covered;
		if (!is_covered || run->finished_at_ns == 0 || is_repeated(list, i))
			continue;
		if (age.oldest_ns == 0 || run->started_at_ns < age.oldest_ns)
			age.oldest_ns = run->started_at_ns;
		if (run->started_at_ns > age.newest_ns)
			age.newest_ns = run->started_at_ns;
		age.errors += (uint64_t)run->errors;
	}
	return age;
}
