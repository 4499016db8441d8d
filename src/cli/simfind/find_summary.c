/*
 * Prints the summary of a simfind run, as text or JSON.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/files/open_file.h"
#include "cli/terminal/summary.h"
#include "cli/terminal/terminal.h"

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void count_groups(struct find_outcome *outcome, const struct group_totals *totals)
{
	outcome->groups = totals->groups;
	outcome->grouped_files = totals->files;
	outcome->copies = totals->copies;
	outcome->similar = totals->similar;
	outcome->copies_inside = totals->inside;
	outcome->shared = totals->shared;
	outcome->copied_bytes = totals->copied_bytes;
}

/* ---- Text ---- */

static void write_pairs(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	const struct find_counts *counts = &outcome->counts;
	uint64_t count = counts->identical + counts->similar;
	uint64_t files = plan->has_files ? outcome->asked : counts->rows;
	char rows[32], pairs[32], identical[32], similar[32];

	fprintf(out, "%s pair%s (%s identical, %s similar) %s %s file%s",
		format_count(count, pairs), plural(count),
		format_count(counts->identical, identical), format_count(counts->similar, similar),
		plan->has_files ? "for" : "among", format_count(files, rows), plural(files));
	if (plan->reads_files)
		fprintf(out, "; after reading them, %s remain%s",
			format_count(outcome->found, pairs), outcome->found == 1 ? "s" : "");
}

/* Write "6 matches for 2 of 3 files: 3 identical, 3 similar". */
static void write_matches(FILE *out, const struct find_plan *plan,
			  const struct find_outcome *outcome)
{
	bool is_nearest = plan->request->nearest > 0;
	char count[32], identical[32], similar[32], files[32], matched[32];

	if (outcome->matches == 0)
		fputs("No match", out);
	else
		fprintf(out, is_nearest ? "%s nearest file%s" : "%s match%s",
			format_count(outcome->matches, count),
			outcome->matches == 1 ? ""
			: is_nearest	      ? "s"
					      : "es");
	if (outcome->asked > 1) {
		fputs(" for ", out);
		if (outcome->matches > 0 && outcome->unmatched > 0)
			fprintf(out, "%s of ",
				format_count(outcome->asked - outcome->unmatched, matched));
		fprintf(out, "%s files", format_count(outcome->asked, files));
	}
	if (is_nearest || outcome->matches < 2)
		return;
	if (outcome->copies == 0 || outcome->similar == 0)
		fputs(outcome->copies == 0 ? ", none identical" : ", all identical", out);
	else
		fprintf(out, ": %s identical, %s similar", format_count(outcome->copies, identical),
			format_count(outcome->similar, similar));
}

/* Write how many files are copies, and the space that removing them would free. */
static void write_copies(FILE *out, const struct find_plan *plan,
			 const struct find_outcome *outcome)
{
	uint64_t copies = outcome->copies, inside = outcome->copies_inside;
	char count[32], files[32], number[32], bytes[32];
	uint64_t others = inside + outcome->shared; /* removing these frees nothing */
	bool is_one = copies - others == 1;

	format_count(outcome->counts.rows, files);
	if (copies == 0) {
		fprintf(out, "None of %s file%s is a copy%s", files, plural(outcome->counts.rows),
			plan->request->below_count > 0 ? " of another one of them" : "");
		return;
	}
	fprintf(out, "%s of %s file%s %s", format_count(copies, count), files,
		plural(outcome->counts.rows), copies == 1 ? "is a copy" : "are copies");
	if (inside == copies) {
		fputs(copies == 1 ? ", in an archive" : ", all in archives", out);
		return;
	}
	if (inside > 0)
		fprintf(out, ", %s of them in archives", format_count(inside, number));
	if (outcome->shared == copies)
		fputs(copies == 1 ? ", already shared" : ", all already shared", out);
	else if (outcome->shared > 0)
		fprintf(out, ", %s%s already shared", format_count(outcome->shared, number),
			inside > 0 ? "" : " of them");
	if (others == copies)
		return;
	fprintf(out, "; removing %s would free %s",
		others > 0 ? is_one ? "the other one" : "the others"
		: is_one   ? "it"
			   : "them",
		format_bytes((double)outcome->copied_bytes, bytes));
}

static void write_resembling(FILE *out, const struct find_outcome *outcome)
{
	uint64_t similar = outcome->similar;
	char count[32], files[32];

	fprintf(out, "%s of %s file%s %s another",
		similar == 0 ? "None" : format_count(similar, count),
		format_count(outcome->counts.rows, files), plural(outcome->counts.rows),
		similar < 2 ? "resembles" : "resemble");
}

/* Write how many files are copies, and how many other files resemble another file. */
static void write_files(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	unsigned kinds = plan->request->kinds;
	uint64_t similar = outcome->similar;
	char count[32];

	if (kinds != 0 && (kinds & PAIRS_COPIES) == 0) {
		write_resembling(out, outcome);
		return;
	}
	write_copies(out, plan, outcome);
	if (similar > 0)
		fprintf(out, ". %s more file%s %s another", format_count(similar, count),
			plural(similar), similar == 1 ? "resembles" : "resemble");
	else if (outcome->copies == 0 && kinds == 0)
		fputs(plan->request->below_count > 0 ? ", or resembles one"
						     : " or resembles another",
		      out);
}

void write_find_summary(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	char empty[32], folded[32];

	/* If no FILE could be read, the messages say so. */
	if (plan->has_files && outcome->asked == 0 && outcome->unreadable > 0)
		return;
	if (plan->list == LIST_MATCHES)
		write_matches(out, plan, outcome);
	else if (plan->lists_groups && !plan->has_files)
		write_files(out, plan, outcome);
	else
		write_pairs(out, plan, outcome);
	fputc('.', out);
	if (outcome->counts.empty > 0)
		fprintf(out, " %s empty file%s left out.",
			format_count(outcome->counts.empty, empty),
			outcome->counts.empty == 1 ? " was" : "s were");
	if (outcome->counts.folded > 0)
		fprintf(out, " %s %s%s of members of documents or of similar archives %s left out.",
			format_count(outcome->counts.folded, folded),
			plan->lists_groups ? "group" : "pair",
			outcome->counts.folded == 1 ? "" : "s",
			outcome->counts.folded == 1 ? "was" : "were");
	fputc('\n', out);
}

void write_left_out(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	char count[32];

	if (outcome->left_out > 0)
		fprintf(out, "%s%s more %s%s left out by --limit\n",
			plan->shows_blocks && plan->has_pager ? "\n" : "",
			format_count(outcome->left_out, count),
			plan->list == LIST_DAMAGED    ? "file"
			: plan->list == LIST_PRESENCE ? "line"
			: plan->lists_groups	      ? "group"
			: plan->list == LIST_MATCHES  ? "match"
						      : "pair",
			outcome->left_out == 1	     ? ""
			: plan->list == LIST_MATCHES ? "es"
						     : "s");
}

void write_stored(FILE *out, const struct find_outcome *outcome)
{
	const struct find_run *run = &outcome->stored;
	char groups[32], files[32], stored[32], pairs[32];

	if (!outcome->is_stored)
		return;
	fprintf(out, "stored in the index: %s group%s of %s file%s, ",
		format_count((uint64_t)run->groups, groups), plural((uint64_t)run->groups),
		format_count((uint64_t)run->files, files), plural((uint64_t)run->files));
	if (run->pairs == PAIRS_UNKNOWN) {
		fputs("no pairs\n", out);
		return;
	}
	format_count((uint64_t)run->pairs, pairs);
	if (run->stored_pairs == run->pairs)
		fprintf(out, "%s pair%s\n", pairs, plural((uint64_t)run->pairs));
	else
		fprintf(out, "the %s most similar of %s pairs; --store=PAIRS sets how many\n",
			format_count((uint64_t)run->stored_pairs, stored), pairs);
}

void print_find_summary(const struct find_plan *plan, const struct find_outcome *outcome)
{
	if (!plan->shows_summary)
		return;
	write_find_summary(stderr, plan, outcome);
	write_left_out(stderr, plan, outcome);
	write_stored(stderr, outcome);
}

int write_list_summary(struct listing *listing, FILE *out, char **text, struct simhash_error *error)
{
	if (close_text(out, text) != 0)
		return error_set_memory(error);
	if (listing->how.has_marks)
		listing_write_head(listing, *text);
	else
		fprintf(stderr, "%s\n", *text);
	free(*text);
	return 0;
}

void suggest_next_step(const struct find_plan *plan, const struct find_outcome *outcome)
{
	const char *url = plan->arguments->index.location.url;
	bool is_list = plan->list == LIST_FOLDED || plan->list == LIST_GROUPS;

	if (outcome->next_step != NULL)
		say_next("simkeep", url, outcome->next_step, NULL);
	if (outcome->can_heal)
		say_next("simkeep", url, "--heal", "replaces damaged files with intact copies.");
	else if (outcome->damaged > 0)
		say_next("simhash", url, "--scrub", "checks damaged files again.");
	if (outcome->next_paths != NULL)
		say_next("simhash", url, outcome->next_paths, "includes new and changed files.");
	if (!plan->shows_summary || !plan->shows_blocks || !plan->has_pager || !is_list)
		return;
	if (outcome->copied_bytes > 0)
		say_next("simkeep", url, NULL, "shows which copies can be removed.");
	else if (outcome->similar > 0)
		say_next("simfind", url, "--format=html -o similar.html", "shows what differs.");
}

/* ---- JSON ---- */

static const char *result_of(const struct find_outcome *outcome, int exit,
			     const struct simhash_error *error)
{
	if (error != NULL)
		return "failed";
	if (exit == EXIT_MATCH)
		return outcome->missing > 0   ? "missing"
		       : outcome->damaged > 0 ? "damaged"
					      : "match";
	return outcome->had_unreadable ? "unreadable" : "ok";
}

#define COUNT(name, is_known, count) \
	FIELD_SIGNED(IN_JSON, name, (is_known) ? (int64_t)(count) : NO_NUMBER)

/* The paths of the command line: FILEs, DIRs, and the sides of --between. */
struct named_paths {
	char **items;
	size_t count;
};

static void name_side(struct named_paths *paths, const struct find_side *side)
{
	struct bytes path = side->directory.size == 0 ? bytes_of("/") : side->directory;

	if (asprintf(&paths->items[paths->count], "%s%s%.*s", side->host == NULL ? "" : side->host,
		     side->host == NULL ? "" : ":", (int)path.size, path.data) >= 0)
		paths->count++;
}

/* Without memory there are none. */
static struct named_paths name_paths(const struct find_arguments *arguments)
{
	const struct operands *operands = &arguments->operands;
	const struct find_request *request = &arguments->request;
	struct named_paths paths = {.count = 0};

	paths.items =
		calloc(operands->query_count + operands->below_count + 2, sizeof *paths.items);
	if (paths.items == NULL)
		return paths;
	/* The names in a list are too many. */
	for (size_t i = 0; operands->names_from == NULL && i < operands->query_count; i++) {
		const char *file = operands->queries[i];
		paths.items[paths.count] = strdup(file == NULL ? "-" : file);
		paths.count += paths.items[paths.count] != NULL;
	}
	for (size_t i = 0; i < operands->below_count; i++)
		name_side(&paths, &(struct find_side){.directory = operands->below[i]});
	for (size_t i = 0; request->has_between && i < 2; i++)
		name_side(&paths, &request->between[i]);
	return paths;
}

static void named_paths_release(struct named_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}

void print_find_json(const struct find_arguments *arguments, const struct find_outcome *outcome,
		     int exit, double seconds, const struct simhash_error *error)
{
	char host[HOST_NAME_SIZE] = "";
	struct named_paths paths = name_paths(arguments);
	struct simhash_error ignored;
	const struct run_ending ending = {.program = "simfind",
					  .task = "find",
					  .result = result_of(outcome, exit, error),
					  .exit = exit,
					  .error = error,
					  .seconds = seconds,
					  .host = host,
					  .paths = (const char *const *)paths.items,
					  .path_count = paths.count};
	const struct find_counts *counts = &outcome->counts;
	const struct find_run *run = &outcome->stored;
	bool by_groups = outcome->by_groups, is_stored = outcome->is_stored;
	bool has_files = arguments->operands.has_files;
	const struct field fields[] = {
		COUNT("candidates", has_files, counts->rows),
		COUNT("files", !has_files, counts->rows),
		COUNT("groups", by_groups, outcome->groups),
		COUNT("grouped_files", by_groups, outcome->grouped_files),
		COUNT("copies", by_groups, outcome->copies),
		COUNT("copied_bytes", by_groups, outcome->copied_bytes),
		COUNT("shared", by_groups, outcome->shared),
		COUNT("pairs", !by_groups, counts->identical + counts->similar),
		COUNT("identical", !by_groups, counts->identical),
		COUNT("similar", !by_groups, counts->similar),
		COUNT("kept", !by_groups, outcome->found),
		COUNT("missing", arguments->missing, outcome->missing),
		COUNT("damaged", arguments->damaged, outcome->damaged),
		COUNT("excluded", arguments->missing, outcome->excluded),
		COUNT("left_out", true, outcome->left_out),
		COUNT("stored_groups", is_stored, run->groups),
		COUNT("stored_files", is_stored, run->files),
		COUNT("stored_pairs", is_stored, run->stored_pairs),
		COUNT("empty", true, counts->empty),
		COUNT("unsketched", true, counts->unsketched),
		COUNT("unreadable", true, outcome->unreadable),
		FIELDS_END,
	};

	(void)choose_host(arguments->index.host, host, &ignored);
	if (arguments->summary == SUMMARY_JSON)
		print_json_summary(&ending, fields);
	named_paths_release(&paths);
}
