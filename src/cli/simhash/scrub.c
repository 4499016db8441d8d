/*
 * Implements simhash --scrub: verifies files, reports damaged ones, and prints a summary.
 * SPDX-License-Identifier: MIT
 */
#include "index/scrub/scrub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/decimal.h"
#include "cli/indexing/index_progress.h"
#include "cli/options/options.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simhash"

/* ---- Reports ---- */

static const char *what_happened(const struct damage *damage)
{
	return damage->status_moved
		       ? "its bytes changed, its time did not: damaged, or a program restored "
			 "the time"
		       : "damaged: it changed, but none of its times did";
}

/* Write how much of a file is damaged, as far as it is known. */
static void write_extent(FILE *out, const struct damage *damage)
{
	char different[32], compared[32], at[32];

	if (damage->different_bytes == 0)
		fputs("; the second reading was right", out);
	else if (damage->different_bytes > 0)
		fprintf(out, "; %s of %s bytes, from byte %s",
			format_count((uint64_t)damage->different_bytes, different),
			format_count((uint64_t)damage->compared_bytes, compared),
			format_count((uint64_t)damage->first_byte, at));
	else if (damage->resemblance_ppm != DAMAGE_UNKNOWN)
		fprintf(out, "; %s%.0f %% like the right content",
			damage->resemblance_ppm >= 995000 ? "over " : "about ",
			damage->resemblance_ppm >= 995000 ? 99
							  : (double)damage->resemblance_ppm / 1e4);
}

static void say_damage(const struct scrub_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	fputs(what_happened(report->damage), out);
	write_extent(out, report->damage);
	if (close_text(out, &text) == 0)
		say_path(PROGRAM, report->path, text);
	free(text);
}

static void say_report(void *context, const struct scrub_report *report)
{
	(void)context;
	switch (report->event) {
	case SCRUB_DAMAGED:
		say_damage(report);
		return;
	case SCRUB_RIGHT_AGAIN:
		say_path(PROGRAM, report->path, "its content is right again");
		return;
	case SCRUB_UNREADABLE:
		say_path(PROGRAM, report->path, explain_errno(report->system_errno));
	}
}

/* ---- The summary ---- */

static uint64_t all_damaged(const struct scrub_summary *summary)
{
	return summary->damaged + summary->restored;
}

/* The next run begins with the oldest of the other files. */
static void print_left(const struct scrub_summary *summary)
{
	time_t seconds = (time_t)(summary->oldest_ns / NS_PER_S);
	char files[32], bytes[32], day[32] = "";
	struct tm local;

	if (summary->oldest_ns != 0 && localtime_r(&seconds, &local) != NULL &&
	    strftime(day, sizeof day, "; the oldest on %Y-%m-%d", &local) == 0)
		day[0] = '\0';
	fprintf(stderr, "%s files (%s) were verified earlier%s\n",
		format_count(summary->files_left, files),
		format_bytes((double)summary->bytes_left, bytes), day);
}

static void print_text(const struct scrub_summary *summary)
{
	double seconds = summary->seconds > 0.001 ? summary->seconds : 0.001;
	char verified[32], damaged[32], changed[32], failed[32], bytes[32], speed[32];

	fprintf(stderr, "%s verified, %s damaged, %s changed, %s failed; %s in %.2f s (%s/s)",
		format_count(summary->verified, verified),
		format_count(all_damaged(summary), damaged),
		format_count(summary->changed, changed), format_count(summary->failed, failed),
		format_bytes((double)summary->bytes, bytes), summary->seconds,
		format_bytes((double)summary->bytes / seconds, speed));
	fputc('\n', stderr);
	if (summary->files_left > 0)
		print_left(summary);
	if (summary->changed > 0)
		fprintf(stderr, "changed, moved or removed files are left to the next run of "
				"simhash PATH\n");
}

static int exit_status(const struct scrub_summary *summary)
{
	return all_damaged(summary) > 0 ? EXIT_MATCH
	       : summary->failed > 0	? EXIT_UNREADABLE
					: EXIT_SUCCESS;
}

static void print_json(const struct index_arguments *arguments, const char *host,
		       const struct scrub_summary *summary, const struct simhash_error *error)
{
	const struct field counts[] = {
		FIELD_UNSIGNED(IN_JSON, "verified", summary->verified),
		FIELD_UNSIGNED(IN_JSON, "damaged", all_damaged(summary)),
		FIELD_UNSIGNED(IN_JSON, "time_restored", summary->restored),
		FIELD_UNSIGNED(IN_JSON, "right_again", summary->right_again),
		FIELD_UNSIGNED(IN_JSON, "changed", summary->changed),
		FIELD_UNSIGNED(IN_JSON, "failed", summary->failed),
		FIELD_UNSIGNED(IN_JSON, "files_left", summary->files_left),
		FIELD_UNSIGNED(IN_JSON, "bytes_left", summary->bytes_left),
		FIELD_TIME(IN_JSON, "oldest_verified",
			   summary->oldest_ns != 0 ? summary->oldest_ns : NO_NUMBER),
		FIELD_UNSIGNED(IN_JSON, "bytes", summary->bytes),
		FIELDS_END,
	};
	struct run_ending ending = {.program = PROGRAM,
				    .task = "scrub",
				    .error = error,
				    .seconds = summary->seconds,
				    .host = host,
				    .paths = (const char *const *)arguments->request.paths,
				    .path_count = arguments->request.path_count};

	ending.exit = error != NULL		? EXIT_FAILURE
		      : summary->is_interrupted ? signal_exit_status()
						: exit_status(summary);
	ending.result = error != NULL			 ? "failed"
			: summary->is_interrupted	 ? "interrupted"
			: ending.exit == EXIT_MATCH	 ? "damaged"
			: ending.exit == EXIT_UNREADABLE ? "unreadable"
							 : "ok";
	print_json_summary(&ending, counts);
}

static void print_summary(const struct index_arguments *arguments, const char *host,
			  const struct scrub_summary *summary, const struct simhash_error *error)
{
	if (arguments->quiet || arguments->summary == SUMMARY_NONE)
		return;
	if (arguments->summary == SUMMARY_JSON)
		print_json(arguments, host, summary, error);
	else if (error == NULL || summary->verified > 0)
		print_text(summary);
}

/* ---- The task ---- */

/* Make the paths absolute. The index has the paths of files without links. */
static int resolve_tops(const struct index_arguments *arguments, struct bytes *tops, size_t *count,
			struct simhash_error *error)
{
	for (unsigned i = 0; i < arguments->request.path_count; i++) {
		const char *named = arguments->request.paths[i];
		char *path = named[0] == '\0' ? NULL : realpath(named, NULL);
		if (path == NULL)
			path = path_absolute(named);
		if (path == NULL)
			return error_set_errno(error, "--scrub: cannot resolve path '%s'", named);
		tops[(*count)++] = bytes_of(path);
	}
	return 0;
}

static int scrub_shown(const struct index_arguments *arguments, const struct scrub_request *request,
		       struct scrub_summary *summary, struct simhash_error *error)
{
	struct index_progress progress;
	atomic_int waiting = 0;
	struct shown_progress shown = {.progress = &progress, .waiting = &waiting};
	struct progress_display display = {.is_running = false};
	struct scrub_resources resources = {
		.threads = arguments->threads, .stop = &stop_requested, .report = say_report};
	int status;

	index_progress_init(&progress);
	if (progress_is_wanted(arguments->progress, arguments->quiet)) {
		resources.progress = &progress;
		progress_start(&display, arguments->progress, write_index_progress, &shown);
	}
	status = scrub_files(request, &resources, summary, error);
	progress_stop(&display);
	index_progress_release(&progress);
	return status;
}

int scrub(const struct index_arguments *arguments, int *ending, struct simhash_error *error)
{
	struct scrub_request request = {.location = arguments->request.location,
					.share = arguments->scrub_share,
					.time_ns = arguments->scrub_time_ns,
					.bytes_per_second = arguments->bytes_per_second};
	struct bytes *tops = calloc(arguments->request.path_count + 1, sizeof *tops);
	struct simhash_tag_set *tag_set = NULL;
	struct scrub_summary summary = {0};
	char host[HOST_NAME_SIZE] = "", *url = NULL;
	int status = tops == NULL ? error_set_memory(error) : 0;

	if (status == 0 && (resolve_tops(arguments, tops, &request.top_count, error) != 0 ||
			    choose_tag_set(arguments->tag_file, &tag_set, error) != 0 ||
			    choose_host(arguments->host, host, error) != 0 ||
			    choose_database(request.location.url, false, &url, error) != 0))
		status = -1;
	if (status == 0) {
		request.location.url = url;
		request.location.stop = &stop_requested;
		request.location.calls = &server_calls;
		request.location.disk_calls = &disk_calls;
		request.tag_set = tag_set;
		request.host = host;
		request.tops = tops;
		catch_signals();
		status = scrub_shown(arguments, &request, &summary, error);
		print_summary(arguments, host, &summary, status == 0 ? NULL : error);
	}
	for (size_t i = 0; i < request.top_count; i++)
		free((char *)(uintptr_t)tops[i].data);
	free(tops);
	free(url);
	simhash_tag_set_free(tag_set);
	if (status == 0 && summary.is_interrupted)
		end_by_signal(PROGRAM, "interrupted; everything verified so far is stored, and the "
				       "next run continues");
	*ending = exit_status(&summary);
	if (status == 0 && *ending == EXIT_MATCH && !arguments->quiet &&
	    arguments->summary == SUMMARY_TEXT)
		say_next("simfind", arguments->request.location.url, "--damaged",
			 "lists damaged files and their intact copies.");
	return status;
}
