/*
 * Prints the summary of a run of simhash, as text or JSON.
 * SPDX-License-Identifier: MIT
 */
#include "cli/indexing/index_summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text/decimal.h"
#include "cli/options/options.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"

static void print_text(const struct index_summary *summary)
{
	char scanned[32], unchanged[32], moved[64] = "", removed[32], failed[32], bytes[32],
					 speed[32];
	char count[32];
	double seconds = summary->seconds > 0.001 ? summary->seconds : 0.001;

	if (summary->moved > 0)
		snprintf(moved, sizeof moved, " %s moved%s,", format_count(summary->moved, count),
			 summary->linked > 0 ? " or linked" : "");
	fprintf(stderr, "%s scanned, %s unchanged,%s %s removed, %s failed; %s in %.2f s (%s/s)\n",
		format_count(summary->scanned, scanned),
		format_count(summary->unchanged, unchanged), moved,
		format_count(summary->removed, removed), format_count(summary->failed, failed),
		format_bytes((double)summary->bytes, bytes), summary->seconds,
		format_bytes((double)summary->bytes / seconds, speed));
	if (summary->left_out > 0)
		fprintf(stderr, "%s part%s of archives left out, as reported above\n",
			format_count(summary->left_out, scanned),
			summary->left_out == 1 ? "" : "s");
	if (summary->sketched_again > 0)
		fprintf(stderr, "%s unchanged %s\n", format_count(summary->sketched_again, scanned),
			summary->sketched_again == 1 ? "file scanned again to complete the index"
						     : "files scanned again to complete the index");
	if (summary->listed_directories > 0)
		fprintf(stderr, "%s director%s in the list skipped; give them as PATHs\n",
			format_count(summary->listed_directories, scanned),
			summary->listed_directories == 1 ? "y" : "ies");
	if (summary->listed_others > 0)
		fprintf(stderr, "%s name%s in the list skipped: links, pipes or devices\n",
			format_count(summary->listed_others, scanned),
			summary->listed_others == 1 ? "" : "s");
	if (summary->accepted > 0)
		fprintf(stderr, "accepted the present content of %s damaged file%s\n",
			format_count(summary->accepted, scanned),
			summary->accepted == 1 ? "" : "s");
	if (summary->kernel_file_systems > 0)
		fprintf(stderr,
			"%s kernel file system%s, such as /proc, left out; give %s as PATH\n",
			format_count(summary->kernel_file_systems, scanned),
			summary->kernel_file_systems == 1 ? "" : "s",
			summary->kernel_file_systems == 1 ? "it" : "them");
}

/* `host` has room for a name, which stays empty if it cannot be read. */
static struct run_ending ending_of(const struct index_arguments *arguments,
				   const struct index_summary *summary,
				   const struct simhash_error *error, char host[HOST_NAME_SIZE])
{
	struct simhash_error ignored;
	struct run_ending ending = {.program = arguments->program,
				    .task = "index",
				    .result = "ok",
				    .exit = EXIT_SUCCESS,
				    .error = error,
				    .seconds = summary->seconds,
				    .host = host,
				    .paths = (const char *const *)arguments->request.paths,
				    .path_count = arguments->request.path_count};

	host[0] = '\0';
	(void)choose_host(arguments->host, host, &ignored);
	if (error != NULL) {
		ending.result = "failed";
		ending.exit = EXIT_FAILURE;
	} else if (summary->is_interrupted) {
		ending.result = "interrupted";
		ending.exit = signal_exit_status();
	} else if (summary->failed > 0) {
		ending.result = "unreadable";
		ending.exit = EXIT_UNREADABLE;
	}
	return ending;
}

static void print_json(const struct run_ending *ending, const struct index_summary *summary)
{
	const struct field counts[] = {
		FIELD_UNSIGNED(IN_JSON, "scanned", summary->scanned),
		FIELD_UNSIGNED(IN_JSON, "unchanged", summary->unchanged),
		FIELD_UNSIGNED(IN_JSON, "moved", summary->moved),
		FIELD_UNSIGNED(IN_JSON, "removed", summary->removed),
		FIELD_UNSIGNED(IN_JSON, "failed", summary->failed),
		FIELD_UNSIGNED(IN_JSON, "left_out", summary->left_out),
		FIELD_UNSIGNED(IN_JSON, "sketched_again", summary->sketched_again),
		FIELD_UNSIGNED(IN_JSON, "listed_directories", summary->listed_directories),
		FIELD_UNSIGNED(IN_JSON, "listed_others", summary->listed_others),
		FIELD_UNSIGNED(IN_JSON, "kernel_file_systems", summary->kernel_file_systems),
		FIELD_UNSIGNED(IN_JSON, "bytes", summary->bytes),
		FIELDS_END,
	};

	print_json_summary(ending, counts);
}

void print_index_summary(const struct index_arguments *arguments,
			 const struct index_summary *summary, const struct simhash_error *error)
{
	if (arguments->quiet || arguments->summary == SUMMARY_NONE)
		return;
	if (arguments->summary == SUMMARY_JSON) {
		char host[HOST_NAME_SIZE];
		const struct run_ending ending = ending_of(arguments, summary, error, host);
		print_json(&ending, summary);
	} else if (error == NULL || summary->scanned + summary->unchanged + summary->moved > 0) {
		print_text(summary);
	}
}
