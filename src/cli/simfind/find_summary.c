/*
 * Prints the summary of a run of simfind, as text or JSON.
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
	outcome->by_groups = true;
	outcome->groups = totals->groups;
	outcome->grouped_files = totals->files;
	outcome->copies = totals->copies;
	outcome->similar = totals->similar;
	outcome->copies_inside = totals->inside;
	outcome->copied_bytes = totals->copied_bytes;
}

/* ---- Text ---- */

static void write_pairs(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	const struct find_counts *counts = &outcome->counts;
	char rows[32], pairs[32], identical[32], similar[32];
	uint64_t count = counts->identical + counts->similar;

	fprintf(out, "%s pair%s (%s identical, %s similar) among %s %s%s",
		format_count(count, pairs), plural(count),
		format_count(counts->identical, identical), format_count(counts->similar, similar),
		format_count(counts->rows, rows), plan->has_files ? "candidate" : "file",
		plural(counts->rows));
	if (plan->reads_files)
		fprintf(out, ", %s kept", format_count(outcome->found, pairs));
}

static void write_groups_found(FILE *out, const struct find_outcome *outcome)
{
	const struct find_counts *counts = &outcome->counts;
	char number[32], files[32], copies[32], similar[32], bytes[32], rows[32];

	fprintf(out, "%s group%s of %s file%s among %s file%s: %s identical, %s similar",
		format_count(outcome->groups, number), plural(outcome->groups),
		format_count(outcome->grouped_files, files), plural(outcome->grouped_files),
		format_count(counts->rows, rows), plural(counts->rows),
		format_count(outcome->copies, copies), format_count(outcome->similar, similar));
	if (outcome->copies > 0)
		fprintf(out, "; copies%s take %s",
			outcome->copies_inside > 0 ? " outside of archives" : "",
			format_bytes((double)outcome->copied_bytes, bytes));
}

void write_find_summary(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	char empty[32];

	if (outcome->by_groups)
		write_groups_found(out, outcome);
	else
		write_pairs(out, plan, outcome);
	if (outcome->counts.empty > 0)
		fprintf(out, "; %s empty file%s left out",
			format_count(outcome->counts.empty, empty), plural(outcome->counts.empty));
}

void write_left_out(FILE *out, const struct find_plan *plan, const struct find_outcome *outcome)
{
	char count[32];

	if (outcome->left_out > 0)
		fprintf(out, "%s more %s%s left out by --limit\n",
			format_count(outcome->left_out, count),
			plan->lists_groups ? "group" : "pair", plural(outcome->left_out));
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
	fputc('\n', stderr);
	write_left_out(stderr, plan, outcome);
	write_stored(stderr, outcome);
}

/* ---- JSON ---- */

static const char *result_of(const struct find_outcome *outcome, int exit,
			     const struct simhash_error *error)
{
	if (error != NULL)
		return "failed";
	if (exit == EXIT_MATCH)
		return "match";
	return outcome->had_unreadable ? "unreadable" : "ok";
}

#define COUNT(name, is_known, count) \
	FIELD_SIGNED(IN_JSON, name, (is_known) ? (int64_t)(count) : NO_NUMBER)

void print_find_json(const struct find_arguments *arguments, const struct find_outcome *outcome,
		     int exit, double seconds, const struct simhash_error *error)
{
	const struct run_ending ending = {.program = "simfind",
					  .task = "find",
					  .result = result_of(outcome, exit, error),
					  .exit = exit,
					  .error = error,
					  .seconds = seconds};
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
		COUNT("pairs", !by_groups, counts->identical + counts->similar),
		COUNT("identical", !by_groups, counts->identical),
		COUNT("similar", !by_groups, counts->similar),
		COUNT("kept", !by_groups, outcome->found),
		COUNT("left_out", true, outcome->left_out),
		COUNT("stored_groups", is_stored, run->groups),
		COUNT("stored_files", is_stored, run->files),
		COUNT("stored_pairs", is_stored, run->stored_pairs),
		COUNT("empty", true, counts->empty),
		COUNT("unsketched", true, counts->unsketched),
		COUNT("unreadable", true, outcome->unreadable),
		FIELDS_END,
	};

	if (arguments->summary == SUMMARY_JSON)
		print_json_summary(&ending, fields);
}
