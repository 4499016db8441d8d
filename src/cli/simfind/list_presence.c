/*
 * Lists the files that are missing elsewhere, or have few copies, and says how old the index is.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/simfind/find_tasks.h"
#include "cli/simfind/kept_pairs.h"
#include "cli/simfind/resolve_request.h"
#include "cli/simfind/search_progress.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "find/rule/finder.h"
#include "presence/presence.h"
#include "report/presence/presence_list.h"
#include "store/names/scan_run.h"

#define PROGRAM "simfind"
#define TOPS_SUGGESTED 4

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- The age of the index ---- */

/* The times of the last runs that indexed some sides, and the files that they could not read. */
struct index_age {
	int64_t oldest_ns, newest_ns; /* 0: there is no finished run */
	bool was_begun;		      /* is there a run? */
	uint64_t errors;
};

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

/* Count the runs of a side that did not end, and whose roots were never indexed completely. */
static uint64_t count_unfinished(const struct finder *finder, const struct scan_run_list *list,
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

/* Add the runs of these sides, or all runs if there are no sides. */
static struct index_age age_of(const struct finder *finder, const struct scan_run_list *list,
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

#define TIME_SIZE 24
#define UNKNOWN_TIME "at an unknown time"

static const char *format_time(int64_t time_ns, char text[TIME_SIZE])
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	struct tm local;

	if (localtime_r(&seconds, &local) == NULL ||
	    strftime(text, TIME_SIZE, "%Y-%m-%d %H:%M", &local) == 0)
		snprintf(text, TIME_SIZE, "an unknown time");
	return text;
}

/*
 * Write "these files 2026-11-20 10:33", or the times of several runs. A text says when the files
 * were indexed if there is no run, as for imported lists.
 */
static void write_age(FILE *out, const char *what, const struct index_age *age, const char *without)
{
	char oldest[TIME_SIZE], newest[TIME_SIZE];

	format_time(age->oldest_ns, oldest);
	format_time(age->newest_ns, newest);
	if (age->oldest_ns == 0)
		fprintf(out, "%s %s", what, age->was_begun ? "never completely" : without);
	else if (strcmp(oldest, newest) == 0)
		fprintf(out, "%s %s", what, oldest);
	else
		fprintf(out, "%s %s to %s", what, oldest, newest);
}

/* ---- The summary ---- */

static uint64_t count_missing(const struct presence *found)
{
	uint64_t missing = 0;

	for (int state = CONTENT_MISSING; state < PRESENCE_STATES; state++)
		missing += found->files[state];
	return missing;
}

static uint64_t count_all(const struct presence *found)
{
	return found->files[CONTENT_ELSEWHERE] + found->files[CONTENT_INSIDE] +
	       count_missing(found);
}

/* Write a word such as "in" and the names of some sides and lists, or their number. */
static void write_sides(FILE *out, const struct find_plan *plan, const char *where,
			const struct side_list *list, const struct find_known *lists,
			size_t list_count, const char *several)
{
	char *name = NULL, count[32];
	const struct find_side *side = list->count == 1 ? &list->sides[0] : NULL;
	size_t size;

	if (list->count + list_count != 1) {
		fprintf(out, "%s %s %s", where, format_count(list->count + list_count, count),
			several);
		return;
	}
	if (side != NULL && side->host != NULL && side->directory.size == 0) {
		fputs("on host ", out);
		write_escaped(out, bytes_of(side->host));
		return;
	}
	fprintf(out, "%s ", where);
	if (list->count == 0) {
		write_escaped(out, bytes_of(lists[0].path));
		return;
	}
	name = side_name(plan, side, &size);
	if (name != NULL)
		write_escaped(out, (struct bytes){name, size});
	free(name);
}

static void write_place(FILE *out, const struct find_plan *plan, bool is_missing)
{
	const struct find_arguments *arguments = plan->arguments;

	if (arguments->places.count + arguments->place_list_count == 0)
		fputs("elsewhere in the index", out);
	else
		write_sides(out, plan,
			    arguments->places.count + arguments->place_list_count == 1 ? "in"
			    : is_missing					       ? "in any of"
					 : "in one of",
			    &arguments->places, arguments->place_lists, arguments->place_list_count,
			    "places");
}

static void write_states(FILE *out, const struct presence *found)
{
	static const struct {
		enum presence_state state;
		const char *one, *many;
	} parts[] = {
		{CONTENT_NOT_INDEXED, "is not indexed", "are not indexed"},
		{CONTENT_CHANGED, "has changed since it was indexed",
		 "have changed since they were indexed"},
		{CONTENT_UNREADABLE, "cannot be read", "cannot be read"},
	};
	char count[32];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		uint64_t files = found->files[parts[i].state];
		if (files > 0)
			fprintf(out, " %s of them %s.", format_count(files, count),
				files == 1 ? parts[i].one : parts[i].many);
	}
}

static void write_result(FILE *out, const struct find_plan *plan, const struct presence *found)
{
	uint64_t missing = count_missing(found), all = count_all(found);
	int64_t bytes = found->bytes[CONTENT_MISSING] + found->bytes[CONTENT_NOT_INDEXED] +
			found->bytes[CONTENT_CHANGED];
	char count[32], files[32], size[32];

	if (all == 0) {
		fputs("There are no files with content ", out);
		write_sides(out, plan, "below", &plan->arguments->tops, NULL, 0, "directories");
		fputc('.', out);
		return;
	}
	format_count(all, files);
	if (all == 1)
		fputs("The only file ", out);
	else if (missing == 0)
		fprintf(out, "All %s files ", files);
	else if (missing == all)
		fprintf(out, "None of the %s files ", files);
	else
		fprintf(out, "%s of %s files ", format_count(missing, count), files);
	write_sides(out, plan, "below", &plan->arguments->tops, NULL, 0, "directories");
	fputs(missing == all && all > 1 ? " is "
	      : missing == 0		? all == 1 ? " is also " : " are also "
	      : missing == 1		? " is not "
					: " are not ",
	      out);
	write_place(out, plan, missing > 0);
	if (missing > 0)
		fprintf(out, ": %s", format_bytes((double)bytes, size));
	fputc('.', out);
	write_states(out, found);
	if (found->files[CONTENT_INSIDE] > 0)
		fprintf(out, " %s of %s %s only in archives there.",
			format_count(found->files[CONTENT_INSIDE], count),
			missing > 0 ? "the others" : "them",
			found->files[CONTENT_INSIDE] == 1 ? "is" : "are");
}

static void write_others(FILE *out, const struct presence *found)
{
	char count[32];

	if (found->empty > 0)
		fprintf(out, " %s empty file%s left out.", format_count(found->empty, count),
			found->empty == 1 ? " was" : "s were");
	if (found->left_out > 0)
		fprintf(out, " Options exclude %s more file%s, which %s not examined.",
			format_count(found->left_out, count), plural(found->left_out),
			found->left_out == 1 ? "was" : "were");
}

/* Files in question that nobody could examine, below tops that are not walked. */
struct unknown_files {
	uint64_t errors, unfinished;
};

static void write_errors(FILE *out, const struct unknown_files *unknown)
{
	char count[32];

	if (unknown->errors > 0)
		fprintf(out, " simhash could not read %s file%s there.",
			format_count(unknown->errors, count), plural(unknown->errors));
	if (unknown->unfinished > 0)
		fprintf(out, " %s run%s of simhash there did not end, so other files may exist.",
			format_count(unknown->unfinished, count), plural(unknown->unfinished));
}

static int summarize(const struct find_plan *plan, struct listing *listing,
		     const struct presence *found, const struct index_age ages[2],
		     const struct unknown_files *unknown, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!plan->shows_summary)
		return 0;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_result(out, plan, found);
	write_others(out, found);
	write_errors(out, unknown);
	write_age(out, " Indexed: these files", &ages[0],
		  found->files[CONTENT_NOT_INDEXED] < count_all(found) ? UNKNOWN_TIME : "never");
	if (plan->arguments->places.count + plan->arguments->place_list_count == 0)
		write_age(out, ", the whole index", &ages[1], UNKNOWN_TIME);
	else if (plan->arguments->places.count > 0)
		write_age(out, plan->arguments->places.count == 1 ? ", the place" : ", the places",
			  &ages[1], UNKNOWN_TIME);
	fputc('.', out);
	return write_list_summary(listing, out, &text, error);
}

static int summarize_copies(const struct find_plan *plan, struct listing *listing,
			    const struct presence *found, struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	int64_t bytes = 0;
	char *text = NULL, count[32], size_text[32];
	size_t size;
	FILE *out;

	if (!plan->shows_summary)
		return 0;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	for (int state = 0; state < PRESENCE_STATES; state++)
		bytes += found->bytes[state];
	if (found->count == 0)
		fputs("No file has its content on ", out);
	else
		fprintf(out, "%s file%s %s ", format_count(found->count, count),
			plural(found->count),
			found->count == 1 ? "has its content on" : "have their content on");
	if (arguments->least_copies == arguments->most_copies)
		format_count(arguments->least_copies, count);
	else if (arguments->most_copies == UINT64_MAX) {
		fputs("more than ", out);
		format_count(arguments->least_copies - 1, count);
	} else {
		fputs("fewer than ", out);
		format_count(arguments->most_copies + 1, count);
	}
	fprintf(out, "%s file system%s", count, strcmp(count, "1") == 0 ? "" : "s");
	if (found->count > 0)
		fprintf(out, ": %s", format_bytes((double)bytes, size_text));
	fputc('.', out);
	return write_list_summary(listing, out, &text, error);
}

/* ---- The task ---- */

/* With its host, a directory is not walked. */
static bool is_walked(const struct find_side *side)
{
	struct stat status;

	return side->host == NULL &&
	       stat(side->directory.size == 0 ? "/" : side->directory.data, &status) == 0 &&
	       S_ISDIR(status.st_mode);
}

static int refuse_place(const struct find_side *place, const struct find_side *top,
			struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE,
			 "--in: %.*s is in %.*s, so it would be lost with it",
			 (int)place->directory.size, place->directory.data,
			 top->directory.size == 0 ? 1 : (int)top->directory.size,
			 top->directory.size == 0 ? "/" : top->directory.data);
}

/*
 * Fail if a side is not walked and has no rows, because nothing would seem to be missing. Also fail if a place is among the files in question.
 */
static int check_sides(const struct find_plan *plan, struct finder *finder,
		       struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct side_list *tops = &arguments->tops, *places = &arguments->places;

	for (size_t i = 0; i < tops->count; i++)
		if (!(arguments->missing && is_walked(&tops->sides[i])) &&
		    finder_check_side(finder, &tops->sides[i], error) != 0)
			return -1;
	for (size_t i = 0; i < places->count; i++) {
		const struct find_side *place = &places->sides[i];
		if (finder_check_side(finder, place, error) != 0)
			return -1;
		for (size_t k = 0; k < tops->count; k++)
			if (are_of_one_host(plan, place, &tops->sides[k]) &&
			    path_is_at_or_below(place->directory, tops->sides[k].directory))
				return refuse_place(place, &tops->sides[k], error);
	}
	return 0;
}

/* The row of an archive says whether all of it was read. */
static bool is_archive(const struct find_plan *plan, const struct find_side *side)
{
	size_t size = outer_path_size(side->directory);
	char *path = strndup(side->directory.data, size);
	struct stat status;
	bool is_file = path != NULL && is_this_host(plan, side) && stat(path, &status) == 0 &&
		       S_ISREG(status.st_mode);

	free(path);
	return is_file;
}

/* Count the files that simhash could not read below tops that are not walked. */
static uint64_t count_unknown(const struct find_plan *plan, const struct finder *finder,
			      const struct scan_run_list *runs)
{
	const struct side_list *tops = &plan->arguments->tops;
	uint64_t unknown = 0;

	for (size_t i = 0; i < tops->count; i++)
		if (!is_walked(&tops->sides[i]) && !is_archive(plan, &tops->sides[i]))
			unknown += age_of(finder, runs, &tops->sides[i], 1).errors;
	return unknown;
}

/* If the index lacks files that exist, suggest the command that indexes them. */
static int suggest_indexing(const struct find_plan *plan, const struct presence *found,
			    struct find_outcome *outcome, struct simhash_error *error)
{
	const struct side_list *tops = &plan->arguments->tops;
	size_t size;
	FILE *out;

	if (plan->arguments->quiet ||
	    found->files[CONTENT_NOT_INDEXED] + found->files[CONTENT_CHANGED] == 0)
		return 0;
	for (size_t i = 0; i < tops->count; i++)
		if (tops->count > TOPS_SUGGESTED || !is_walked(&tops->sides[i]) ||
		    needs_encoding(bytes_of(tops->texts[i])))
			return 0;
	out = open_memstream(&outcome->next_paths, &size);
	if (out == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < tops->count; i++) {
		fputs(i > 0 ? " " : "", out);
		write_command_word(out, bytes_of(tops->texts[i]));
	}
	return close_text(out, &outcome->next_paths) != 0 ? error_set_memory(error) : 0;
}

/* Count the runs below such tops that did not find all files. */
static uint64_t count_all_unfinished(const struct find_plan *plan, const struct finder *finder,
				     const struct scan_run_list *runs)
{
	const struct side_list *tops = &plan->arguments->tops;
	uint64_t unfinished = 0;

	for (size_t i = 0; i < tops->count; i++)
		if (!is_walked(&tops->sides[i]) && !is_archive(plan, &tops->sides[i]))
			unfinished += count_unfinished(finder, runs, &tops->sides[i]);
	return unfinished;
}

static int list_missing(const struct find_plan *plan, struct finder *finder,
			const struct known_contents *lists, struct search_progress *search,
			struct listing *listing, struct find_outcome *outcome,
			struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct presence_request wanted = {
		.tops = arguments->tops.sides,
		.top_count = arguments->tops.count,
		.places = arguments->places.sides,
		.place_count = arguments->places.count,
		.lists = lists,
		.relatives = plan->request->kinds == 0
				     ? PAIRS_SIMILAR | PAIRS_PARTS
				     : plan->request->kinds & (PAIRS_SIMILAR | PAIRS_PARTS)};
	struct scan_run_list runs;
	struct presence found;
	struct index_age ages[2];
	struct unknown_files unknown;
	int status;

	if (store_read_runs(finder->store, &runs, error) != 0)
		return -1;
	status = finder_missing(finder, &wanted, &found, error);
	if (status == 0) {
		ages[0] = age_of(finder, &runs, wanted.tops, wanted.top_count);
		ages[1] = age_of(finder, &runs, wanted.places, wanted.place_count);
		unknown = (struct unknown_files){count_unknown(plan, finder, &runs),
						 count_all_unfinished(plan, finder, &runs)};
		outcome->counts.rows = count_all(&found);
		outcome->counts.empty = found.empty;
		outcome->excluded = found.left_out;
		outcome->unreadable = found.files[CONTENT_UNREADABLE] + unknown.errors;
		outcome->missing = count_missing(&found) + unknown.errors + unknown.unfinished;
		outcome->found = outcome->missing;
		search_progress_stop(search);
		if (plan->has_pager)
			pager_start(PROGRAM);
		status = summarize(plan, listing, &found, ages, &unknown, error);
		if (status == 0)
			status = listing_write_presence(listing, &found, arguments->order.limit,
							false, error);
		if (status == 0)
			status = suggest_indexing(plan, &found, outcome, error);
		presence_release(&found);
	}
	scan_run_list_release(&runs);
	return status;
}

static int list_copies(const struct find_plan *plan, struct finder *finder,
		       struct search_progress *search, struct listing *listing,
		       struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct presence_request wanted = {.tops = arguments->tops.sides,
						.top_count = arguments->tops.count,
						.least_copies = arguments->least_copies,
						.most_copies = arguments->most_copies};
	struct presence found;
	int status;

	if (finder_copies(finder, &wanted, &found, error) != 0)
		return -1;
	outcome->found = found.count;
	search_progress_stop(search);
	if (plan->has_pager)
		pager_start(PROGRAM);
	status = summarize_copies(plan, listing, &found, error);
	if (status == 0)
		status = listing_write_presence(listing, &found, arguments->order.limit, true,
						error);
	presence_release(&found);
	return status;
}

int list_presence(const struct find_plan *plan, struct store *store, struct listing *listing,
		  struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct find_sink sink = {.context = NULL};
	struct find_resources resources = arguments->resources;
	struct search_progress search;
	struct known_contents lists = {.store = NULL};
	struct finder finder;
	int status;

	if (finder_init(&finder, store, plan->request, &sink, &resources, error) != 0)
		return -1;
	search_progress_start(&search, plan, &resources);
	status = check_sides(plan, &finder, error);
	if (status == 0 && arguments->place_list_count > 0)
		status = read_known_lists(arguments->place_lists, arguments->place_list_count,
					  plan->request->tags, store, &lists, error);
	if (status == 0)
		status = arguments->missing
				 ? list_missing(plan, &finder,
						arguments->place_list_count > 0 ? &lists : NULL,
						&search, listing, outcome, error)
				 : list_copies(plan, &finder, &search, listing, outcome, error);
	search_progress_stop(&search);
	outcome->left_out = listing->left_out;
	if (status == 0 && plan->shows_summary)
		write_left_out(listing->how.has_marks ? listing->file : stderr, plan, outcome);
	known_contents_release(&lists);
	finder_release(&finder);
	return status;
}
