/*
 * Finds and lists pairs, with progress, notes and the summary. kept_pairs.c writes the outputs that
 * need all pairs first.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/list_pairs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/files/open_file.h"
#include "cli/simfind/answers.h"
#include "cli/simfind/kept_pairs.h"
#include "cli/simfind/matches.h"
#include "cli/simfind/search_progress.h"
#include "cli/simfind/whole_folders.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "find/pairs/pair_reporter.h"
#include "find/pairs/unsketched.h"
#include "find/reading/confirm.h"
#include "find/reading/shared_copies.h"
#include "find/rule/find.h"
#include "scan/file/container_kind.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"

#define PROGRAM "simfind"
#define UNSKETCHED_SHOWN 3 /* the number of files that a warning names */

/* The target of pairs, and the failures during the search. */
struct output {
	const struct find_plan *plan;
	struct listing *listing;
	struct find_resources resources;
	struct search_progress progress;
	struct pair_list *list; /* the pairs are kept in it; NULL: they are listed immediately */
	struct answers *answers;
	struct shared_copies shared;
	struct damage_finder damages;
	struct matches matches; /* the matches of FILEs, if matches are listed */
	pthread_mutex_t lock;
	uint64_t asked, unreadable;
	atomic_bool has_match; /* used if the search stops at the first match */
};

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct output *output = context;

	if (output->plan->stops_at_match) {
		atomic_store(&output->has_match, true);
		return error_set(error, ERROR_STOPPED, "stopped at the first match");
	}
	if (output->plan->stores_early && answers_add(output->answers, pair, error) != 0)
		return -1;
	if (output->list != NULL)
		return pair_list_add(output->list, pair, error);
	return listing_add(output->listing, thread, pair, error);
}

static int file_asked(void *context, const struct find_file *file, bool is_named,
		      struct simhash_error *error)
{
	struct output *output = context;

	output->asked += is_named;
	return output->plan->list == LIST_MATCHES
		       ? matches_ask(&output->matches, file, is_named, error)
		       : 0;
}

static void query_unreadable(void *context, struct bytes path, int system_errno)
{
	struct output *output = context;

	output->unreadable += !container_is_left_out(system_errno);
	if (!output->plan->arguments->quiet || !container_is_left_out(system_errno))
		say_path(PROGRAM, path, explain_errno(system_errno));
}

/* Report a file that cannot be read as it was indexed, and the consequence. */
static void say_unread(struct output *output, const struct find_file *file, int system_errno,
		       const char *consequence)
{
	char text[256];

	snprintf(text, sizeof text, "%s; %s",
		 system_errno == 0 ? "has changed since it was indexed"
				   : explain_errno(system_errno),
		 consequence);
	say_path(PROGRAM, (struct bytes){file->display, file->display_size}, text);
	pthread_mutex_lock(&output->lock);
	output->unreadable++;
	pthread_mutex_unlock(&output->lock);
}

static void content_unconfirmed(void *context, const struct find_file *file, int system_errno)
{
	say_unread(context, file, system_errno, "its pairs stay as they were found");
}

static void file_unsearched(void *context, const struct find_file *file, int system_errno)
{
	say_unread(context, file, system_errno, "it was not searched");
}

static void file_uncompared(void *context, const struct find_file *file, int system_errno)
{
	say_unread(context, file, system_errno, "its pairs were not compared for damage");
}

/* Write "/a/b, /a/c and 7 more". */
static void write_first(FILE *out, const struct bytes *files, size_t shown, uint64_t count)
{
	char more[32];

	for (size_t i = 0; i < shown; i++) {
		fputs(i == 0 ? "" : count == shown && i + 1 == shown ? " and " : ", ", out);
		fwrite(files[i].data, 1, files[i].size, out);
	}
	if (count > shown)
		fprintf(out, " and %s more", format_count(count - shown, more));
}

/*
 * The warning names the measure of the index, so that users who follow it extend the sketches of
 * that measure.
 */
static int warn_unsketched(const struct finder *finder, uint64_t count, struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	const char *measure = simhash_measure_text(request->measure);
	struct bytes files[UNSKETCHED_SHOWN];
	struct arena arena = {.chunks = NULL};
	char number[32], *text = NULL;
	size_t shown, size;
	FILE *out;

	if (read_unsketched(finder, UNSKETCHED_SHOWN, &arena, files, &shown, error) != 0) {
		arena_release(&arena);
		return -1;
	}
	out = open_memstream(&text, &size);
	if (out != NULL) {
		fprintf(out, "warning: %s file%s no sketch by %s and %s not found: ",
			format_count(count, number), count == 1 ? " has" : "s have", measure,
			count == 1 ? "is" : "are");
		write_first(out, files, shown, count);
		/* The index only stores the hash of weights, so show the user's measure. */
		fprintf(out, "; index %s with simhash --measure=%s", count == 1 ? "it" : "them",
			strstr(measure, "weights=") != NULL ? request->measure_text : measure);
		if (close_text(out, &text) == 0)
			say(PROGRAM, text);
	}
	free(text);
	arena_release(&arena);
	return 0;
}

static void note_unverified(uint64_t files)
{
	char count[32], *text;

	if (asprintf(&text,
		     "note: %s file%s no resemblance sketch; %s found by counts alone; "
		     "run simhash on %s again",
		     format_count(files, count), files == 1 ? " has" : "s have",
		     files == 1 ? "it is" : "they are", files == 1 ? "it" : "them") < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

/* The files of other hosts cannot be read here. */
static void note_elsewhere(uint64_t files)
{
	char count[32], *text;

	if (files == 0 || asprintf(&text,
				   "note: %s file%s of other hosts %s not searched for "
				   "short FILEs",
				   format_count(files, count), files == 1 ? "" : "s",
				   files == 1 ? "was" : "were") < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

/* Find pairs, or groups if `groups` is not NULL. */
static int find(const struct output *output, const struct find_sink *sink, struct store *store,
		struct group_sorter *groups, struct find_counts *counts,
		struct simhash_error *error)
{
	const struct find_arguments *arguments = output->plan->arguments;
	const struct find_request *request = output->plan->request;
	struct find_request folding = *request;
	struct finder finder;
	int status;

	if (output->plan->folds_members)
		folding.folded = groups != NULL ? FOLD_GROUPS : FOLD_PAIRS;
	if (finder_init(&finder, store, &folding, sink, &output->resources, error) != 0)
		return -1;
	status = groups != NULL ? finder_groups(&finder, arguments->linkage, groups, error)
		 : !output->plan->has_files ? finder_all(&finder, error)
					    : finder_files(&finder, arguments->operands.queries,
							   arguments->operands.query_count, error);
	*counts = finder.counts;
	if (status != 0 && atomic_load(&output->has_match)) {
		status = 0;
		counts->similar = 1;
	}
	if (status == 0 && counts->unsketched > 0 && request->measure != NULL)
		status = warn_unsketched(&finder, counts->unsketched, error);
	finder_release(&finder);
	if (status == 0)
		note_elsewhere(counts->elsewhere);
	if (status == 0 && counts->unsketched > 0 && request->measure == NULL &&
	    request->rule.verify.mode != VERIFY_NO)
		note_unverified(counts->unsketched);
	return status;
}

static int store_answers(const struct output *output, const struct group_sorter *groups,
			 const struct find_counts *counts, struct simhash_error *error)
{
	const struct answers_found found = {
		.groups = output->plan->lists_groups ? groups : NULL,
		.list = output->list,
		.pairs = output->list != NULL ? output->list->count
					      : counts->identical + counts->similar,
		.resources = &output->resources,
	};

	return answers_store(output->answers, output->plan, &found, error);
}

/* More rows may have been read than were searched; the summary counts only searched rows. */
static void end_reading(struct find_progress *progress, const struct find_counts *counts)
{
	atomic_store(&progress->rows_total, (long long)counts->rows);
	atomic_store(&progress->rows, (long long)counts->rows);
}

/*
 * Confirm the pairs. Only then may be known which of two files is part of the other, so unwanted
 * pairs are removed here.
 */
static int confirm_wanted(const struct output *output, const struct find_sink *sink,
			  struct simhash_error *error)
{
	const struct find_plan *plan = output->plan;
	struct pair_list *list = output->list;
	size_t kept = 0;

	if (confirm_pairs(list, &plan->confirming, sink, &output->resources, error) != 0)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		if (pair_is_wanted(plan->request, &list->pairs[i].relation))
			list->pairs[kept++] = list->pairs[i];
	list->count = kept;
	return 0;
}

/* Find, confirm and store pairs, and make groups if groups are listed. */
static int find_all(struct output *output, struct store *store, struct group_sorter *groups,
		    struct find_counts *counts, struct simhash_error *error)
{
	const struct find_plan *plan = output->plan;
	const struct find_sink sink = {.context = output,
				       .pair = take_pair,
				       .asked = file_asked,
				       .unreadable = query_unreadable,
				       .unconfirmed = content_unconfirmed,
				       .unsearched = file_unsearched};
	int status;

	search_progress_start(&output->progress, plan, &output->resources);
	status = find(output, &sink, store, plan->finds_groups ? groups : NULL, counts, error);
	if (status == 0)
		end_reading(&output->progress.done, counts);
	if (status == 0 && plan->reads_files && !plan->finds_groups)
		status = confirm_wanted(output, &sink, error);
	if (status == 0 && plan->lists_groups && !plan->finds_groups)
		status = group_kept(plan, output->list, groups, error);
	if (status == 0)
		status = group_sorter_end(groups, error);
	if (status == 0)
		status = store_answers(output, groups, counts, error);
	search_progress_stop(&output->progress);
	return status;
}

static int write_list(const struct find_plan *plan, const struct find_counts *counts,
		      struct store *store, struct output *output, const struct group_sorter *groups,
		      struct simhash_error *error)
{
	if (plan->list == LIST_MATCHES)
		return matches_each(&output->matches, output->listing, listing_write_block, error);
	if (plan->lists_groups)
		return write_groups(plan, counts, store, groups, output->listing, error);
	return output->list != NULL ? listing_write_pairs(output->listing, output->list, error)
				    : listing_write(output->listing, error);
}

static int note_blocks(struct output *output, const struct group_sorter *groups,
		       struct simhash_error *error)
{
	struct listing *listing = output->listing;

	listing->folds = output->plan->list == LIST_FOLDED;
	listing->by_file = output->plan->list == LIST_MATCHES;
	return output->plan->list == LIST_MATCHES
		       ? matches_each(&output->matches, listing, listing_note_block, error)
		       : listing_note_blocks(listing, groups, error);
}

static int write_head(const struct find_plan *plan, struct store *store, struct listing *listing,
		      const struct find_outcome *outcome, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int status = 0;

	if (out == NULL)
		return error_set_memory(error);
	write_find_summary(out, plan, outcome);
	if (outcome->copied_bytes > 0)
		status =
			write_whole_folders(out, plan, store, listing, outcome->counts.rows, error);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	if (plan->has_pager && size > 0)
		pager_start(PROGRAM);
	if (status == 0 && size > 0)
		listing_write_head(listing, text);
	free(text);
	return status;
}

/* On a terminal, the summary is above the list. */
static int begin_list(const struct find_plan *plan, struct store *store, struct output *output,
		      const struct group_sorter *groups, const struct find_outcome *outcome,
		      struct simhash_error *error)
{
	struct listing *listing = output->listing;
	int status = plan->shows_blocks ? note_blocks(output, groups, error) : 0;

	if (status == 0 && listing->how.has_marks && plan->shows_summary)
		status = write_head(plan, store, listing, outcome, error);
	else if (status == 0 && listing->how.has_marks && plan->has_pager)
		pager_start(PROGRAM);
	if (status == 0 && plan->shows_blocks)
		listing_begin_marked(listing);
	return status;
}

static int end_list(const struct find_plan *plan, struct listing *listing,
		    struct find_outcome *outcome, struct simhash_error *error)
{
	outcome->left_out = listing->left_out;
	if (!listing->how.has_marks) {
		print_find_summary(plan, outcome);
		return 0;
	}
	if (plan->shows_summary) {
		write_left_out(listing->file, plan, outcome);
		write_stored(listing->file, outcome);
	}
	return listing_check(listing, error);
}

static int take_matches(struct output *output, struct find_outcome *outcome,
			struct simhash_error *error)
{
	struct matches *matches = &output->matches;

	if (matches_take(matches, output->list, &output->plan->arguments->order, &output->shared,
			 error) != 0)
		return -1;
	outcome->matches = matches->count;
	outcome->copies = matches->identical;
	outcome->shared = matches->shared;
	outcome->similar = matches->count - matches->identical;
	outcome->unmatched = matches->unmatched;
	output->listing->left_out = matches->left_out;
	return 0;
}

static int find_and_write(struct output *output, struct store *store, struct find_outcome *outcome,
			  struct simhash_error *error)
{
	const struct find_plan *plan = output->plan;
	struct find_counts *counts = &outcome->counts;
	struct listing *listing = output->listing;
	struct group_order order = group_order_of(&plan->arguments->order);
	struct group_sorter groups;
	int status;

	group_sorter_init(&groups, plan->groups_bytes, &order);
	groups.keeps_sketches = plan->arguments->lineage;
	groups.shared = &output->shared;
	status = find_all(output, store, &groups, counts, error);
	outcome->found = output->list != NULL ? output->list->count
					      : counts->identical + counts->similar;
	outcome->asked = output->asked;
	outcome->unreadable = output->unreadable;
	outcome->by_groups = plan->counts_groups;
	if (status == 0 && plan->lists_groups)
		count_groups(outcome, &groups.totals);
	if (status == 0 && plan->list == LIST_MATCHES)
		status = take_matches(output, outcome, error);
	outcome->is_stored = output->answers->is_stored;
	outcome->stored = output->answers->run;
	if (status == 0)
		status = begin_list(plan, store, output, &groups, outcome, error);
	if (status == 0)
		status = write_list(plan, counts, store, output, &groups, error);
	if (status == 0)
		status = end_list(plan, listing, outcome, error);
	group_sorter_release(&groups);
	return status;
}

int list_pairs(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error)
{
	struct answers answers;
	struct output output = {.plan = plan,
				.listing = listing,
				.resources = plan->arguments->resources,
				.answers = &answers};
	struct pair_list kept;
	int status;

	pthread_mutex_init(&output.lock, NULL);
	pair_list_init(&kept);
	damage_finder_init(&output.damages,
			   plan->confirming.reads_all ? INT64_MAX : DAMAGE_READ_MAX,
			   file_uncompared, &output);
	listing->how.damages = &output.damages;
	if (plan->keeps_pairs)
		output.list = &kept;
	status = answers_begin(&answers, plan, store, error);
	if (status == 0)
		status = find_and_write(&output, store, outcome, error);
	answers_release(&answers);
	matches_release(&output.matches);
	shared_copies_release(&output.shared);
	damage_finder_release(&output.damages);
	listing->how.damages = NULL;
	pair_list_release(&kept);
	pthread_mutex_destroy(&output.lock);
	outcome->unreadable = output.unreadable + listing->unreadable;
	outcome->had_unreadable = outcome->unreadable > 0;
	return status;
}
