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
/* Each directory needs a search of its own, or several. */
#define TOPS_JUDGED 16

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- The age of the index ---- */

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

/* Write where files are, or should be, outside the given number of directories in question. */
static void write_place(FILE *out, const struct find_plan *plan, size_t in_question,
			bool is_missing)
{
	const struct find_arguments *arguments = plan->arguments;

	if (arguments->places.count + arguments->place_list_count == 0)
		fputs(in_question > 1 ? "outside them in the index" : "elsewhere in the index",
		      out);
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

/* The result for all directories in question together. */
static void write_result(FILE *out, const struct find_plan *plan, const struct presence *found,
			 bool follows_verdict)
{
	uint64_t missing = presence_count_missing(found), all = presence_count(found);
	int64_t bytes = found->bytes[CONTENT_MISSING] + found->bytes[CONTENT_NOT_INDEXED] +
			found->bytes[CONTENT_CHANGED];
	char count[32], files[32], size[32];

	if (all == 0) {
		fputs("There are no files with content ", out);
		write_sides(out, plan, "below", &plan->arguments->tops, NULL, 0, "directories");
		fputc('.', out);
		return;
	}
	if (follows_verdict)
		fputs("If all are deleted: ", out);
	format_count(all, files);
	if (all == 1)
		fputs(follows_verdict ? "the only file " : "The only file ", out);
	else if (missing == 0)
		fprintf(out, "%s %s files ", follows_verdict ? "all" : "All", files);
	else if (missing == all)
		fprintf(out, "%s of the %s files ", follows_verdict ? "none" : "None", files);
	else
		fprintf(out, "%s of %s files ", format_count(missing, count), files);
	write_sides(out, plan, "below", &plan->arguments->tops, NULL, 0, "directories");
	fputs(missing == all && all > 1 ? " is "
	      : missing == 0		? all == 1 ? " is also " : " are also "
	      : missing == 1		? " is not "
					: " are not ",
	      out);
	write_place(out, plan, plan->arguments->tops.count, missing > 0);
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

static void write_errors(FILE *out, const struct presence *found)
{
	char count[32];

	if (found->unread > 0)
		fprintf(out, " simhash could not read %s file%s there.",
			format_count(found->unread, count), plural(found->unread));
	if (found->unfinished > 0)
		fprintf(out, " %s run%s of simhash there did not end, so other files may exist.",
			format_count(found->unfinished, count), plural(found->unfinished));
}

/* ---- Which directories can be deleted ---- */

static void write_top(FILE *out, const struct find_plan *plan, size_t at)
{
	size_t size;
	char *name = side_name(plan, &plan->arguments->tops.sides[at], &size);

	if (name != NULL)
		write_escaped(out, (struct bytes){name, size});
	free(name);
}

static void write_verdict(FILE *out, const struct find_plan *plan, size_t at,
			  const struct deletable *top)
{
	char files[32], missing[32], size[32];

	format_count(top->files, files);
	write_top(out, plan, at);
	if (top->files == 0) {
		fputs(" has no files with content.\n", out);
		return;
	}
	if (top->files == 1)
		fputs(top->is_alone ? " can be deleted: its only file is also "
				    : " must stay: its only file is not ",
		      out);
	else if (top->is_alone)
		fprintf(out, " can be deleted: all its %s files are also ", files);
	else if (top->missing == top->files)
		fprintf(out, " must stay: none of its %s files is ", files);
	else
		fprintf(out, " must stay: %s of its %s files %s not ",
			format_count(top->missing, missing), files,
			top->missing == 1 ? "is" : "are");
	write_place(out, plan, 1, !top->is_alone);
	if (!top->is_alone)
		fprintf(out, ": %s", format_bytes((double)top->missing_bytes, size));
	else if (top->inside > 0)
		fprintf(out, ", %s of them only in archives", format_count(top->inside, missing));
	fputs(".\n", out);
}

/*
 * Write "A, B and C": the directories that can be deleted together, or the others that can be
 * deleted alone.
 */
static void write_tops(FILE *out, const struct find_plan *plan, const struct deletable *tops,
		       bool are_together)
{
	size_t count = plan->arguments->tops.count, left = 0;
	bool is_first = true;

	for (size_t i = 0; i < count; i++)
		left += tops[i].is_alone && tops[i].is_together == are_together;
	for (size_t i = 0; i < count; i++) {
		if (!tops[i].is_alone || tops[i].is_together != are_together)
			continue;
		fputs(is_first ? "" : left == 1 ? " and " : ", ", out);
		write_top(out, plan, i);
		is_first = false;
		left--;
	}
}

static void write_together(FILE *out, const struct find_plan *plan, const struct deletable *tops)
{
	size_t alone = 0, together = 0;

	for (size_t i = 0; i < plan->arguments->tops.count; i++) {
		alone += tops[i].is_alone;
		together += tops[i].is_together;
	}
	if (alone < 2)
		return;
	fputs(alone == together ? "" : "But not all together: for example, delete ", out);
	write_tops(out, plan, tops, true);
	if (alone == together) {
		fputs(" can be deleted together.\n", out);
		return;
	}
	fputs(", and keep ", out);
	write_tops(out, plan, tops, false);
	fputs(".\n", out);
}

static void write_deletable(FILE *out, const struct find_plan *plan, const struct deletable *tops)
{
	for (size_t i = 0; i < plan->arguments->tops.count; i++)
		write_verdict(out, plan, i, &tops[i]);
	write_together(out, plan, tops);
}

/* The question behind several directories: which of them can be deleted? */
static bool is_judged(const struct find_plan *plan, const struct presence *found)
{
	size_t count = plan->arguments->tops.count;

	return plan->shows_summary && count > 1 && count <= TOPS_JUDGED && found->left_out == 0;
}

/* ---- The summaries ---- */

/* `tops` is NULL if it is unknown which directories can be deleted. */
static int summarize(const struct find_plan *plan, struct listing *listing,
		     const struct presence *found, const struct deletable *tops,
		     struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!plan->shows_summary)
		return 0;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	if (tops != NULL)
		write_deletable(out, plan, tops);
	write_result(out, plan, found, tops != NULL);
	write_others(out, found);
	write_errors(out, found);
	write_age(out, " Indexed: these files", &found->asked_age,
		  found->files[CONTENT_NOT_INDEXED] < presence_count(found) ? UNKNOWN_TIME
									    : "never");
	if (arguments->places.count + arguments->place_list_count == 0)
		write_age(out, ", the whole index", &found->place_age, UNKNOWN_TIME);
	else if (arguments->places.count > 0)
		write_age(out, arguments->places.count == 1 ? ", the place" : ", the places",
			  &found->place_age, UNKNOWN_TIME);
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

/* A file that is no archive has a row, but nothing is below it. Returns -1. */
static int explain_file(const struct find_side *side, struct simhash_error *error)
{
	struct stat status;

	if (side->host == NULL && side->directory.size > 0 &&
	    stat(side->directory.data, &status) == 0 && S_ISREG(status.st_mode))
		error_set(
			error, SIMHASH_E_RANGE,
			"%s is neither a directory nor an archive in the index; simfind FILE lists "
			"the copies of a file",
			side->directory.data);
	return -1;
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
			return explain_file(&tops->sides[i], error);
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
	struct deletable tops[TOPS_JUDGED];
	struct presence found;
	bool judges;
	int status;

	if (finder_missing(finder, &wanted, &found, error) != 0)
		return -1;
	outcome->counts.rows = presence_count(&found);
	outcome->counts.empty = found.empty;
	outcome->excluded = found.left_out;
	outcome->unreadable = found.files[CONTENT_UNREADABLE] + found.unread;
	outcome->missing = presence_count_missing(&found) + found.unread + found.unfinished;
	outcome->found = outcome->missing;
	judges = is_judged(plan, &found);
	status = judges ? finder_deletable(finder, &wanted, tops, error) : 0;
	search_progress_stop(search);
	if (status == 0 && plan->has_pager)
		pager_start(PROGRAM);
	if (status == 0)
		status = summarize(plan, listing, &found, judges ? tops : NULL, error);
	if (status == 0)
		status = listing_write_presence(listing, &found, arguments->order.limit, false,
						error);
	if (status == 0)
		status = suggest_indexing(plan, &found, outcome, error);
	presence_release(&found);
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
