/*
 * Implements simhash --init-database and --copy-to: creates and copies whole indexes.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "cli/options/options.h"
#include "cli/simhash/password_file.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "store/open/schema.h"
#include "store/open/store.h"
#include "transfer/copy.h"

#define PROGRAM "simhash"

static void say_waiting(void *context, const char *message)
{
	(void)context;
	say(PROGRAM, message);
}

/* ---- --init-database ---- */

static int check_users(const char *url, const struct index_arguments *arguments,
		       struct simhash_error *error)
{
	const char *option = arguments->password_file != NULL ? "--password-file"
			     : arguments->has_tls_need	      ? "--require-tls"
							      : NULL;

	if (option == NULL || strncmp(url, "sqlite:", 7) != 0)
		return 0;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "%s is for an index on a server; a file of SQLite has no users", option);
}

/* Create the index, and the statements for its users. */
static int make_index(const struct store_location *where, const struct role_request *request,
		      struct role_users *users, char **statements, struct simhash_error *error)
{
	struct store *store;
	int status = store_open(where, OPEN_TO_CREATE, &store, error);

	if (status == 0) {
		status = schema_make_views(store, error);
		if (status == 0)
			status = store_roles(store, request, users, statements, error);
		store_close(store);
	}
	return status;
}

int init_database(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct store_location where = arguments->request.location;
	struct role_request request = {.tls = arguments->tls_need};
	bool has_file = arguments->password_file != NULL;
	struct password_file file;
	struct role_users users;
	char *url = NULL, *statements = NULL;
	int status = -1;

	if (choose_database(where.url, true, &url, error) != 0)
		return -1;
	where.url = url;
	where.waiting = say_waiting;
	if (check_users(url, arguments, error) != 0 ||
	    (has_file && password_file_open(&file, arguments->password_file, error) != 0))
		goto out;
	for (int role = 0; has_file && role < ROLES; role++) {
		request.passwords[role] = file.passwords[role];
		if (file.sha2_hashes[role][0] != '\0')
			request.sha2_hashes[role] = file.sha2_hashes[role];
	}
	status = make_index(&where, &request, &users, &statements, error);
	if (status == 0 && has_file)
		status = password_file_write(&file, &users, error);
	if (status != 0 && has_file)
		password_file_abandon(&file);
	if (status == 0 && statements != NULL)
		fputs(statements, stdout);
out:
	free(statements);
	free(url);
	return status;
}

/* ---- --copy-to ---- */

struct copying {
	struct progress_rate rate;
	atomic_uint pass;
	atomic_ullong done, total;
};

static void keep_progress(void *context, unsigned pass, uint64_t done, uint64_t total)
{
	struct copying *copying = context;

	atomic_store(&copying->pass, pass);
	atomic_store(&copying->total, total);
	atomic_store(&copying->done, done);
}

static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct copying *copying = context;
	uint64_t done = atomic_load(&copying->done), all = atomic_load(&copying->total);
	double rate = progress_rate(&copying->rate, seconds, (double)done);
	struct line_part parts[] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
	char rows[32], total[32];

	if (all == 0)
		snprintf(parts[0].text, sizeof parts[0].text, "counting");
	else
		snprintf(parts[0].text, sizeof parts[0].text, "%3u%%",
			 whole_percent((double)done, (double)all));
	snprintf(parts[1].text, sizeof parts[1].text, "%s %s of %s rows",
		 atomic_load(&copying->pass) > 1 ? "comparing" : "copying",
		 format_count(done, rows), format_count(all, total));
	snprintf(parts[2].text, sizeof parts[2].text, "%s rows/s",
		 format_count(rate > 0 ? (uint64_t)rate : 0, rows));
	write_parts(line, parts, sizeof parts / sizeof *parts, columns);
}

static void print_summary(const struct copy_summary *summary)
{
	char copied[32], rows[32], number[32];

	fprintf(stderr, "%s of %s rows copied", format_count(summary->copied, copied),
		format_count(summary->rows, rows));
	if (summary->newer > 0)
		fprintf(stderr, ", %s newer rows in the target kept",
			format_count(summary->newer, number));
	if (summary->others > 0)
		fprintf(stderr, ", %s other rows in the target",
			format_count(summary->others, number));
	if (!summary->is_interrupted)
		fprintf(stderr, "; verified: %s rows are equal, checksum %016" PRIx64,
			format_count(summary->rows - summary->newer, number), summary->checksum_to);
	fputc('\n', stderr);
}

int copy_database(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct copying copying = {.rate = {0}};
	struct copy_options options = {.from = arguments->request.location,
				       .to = arguments->request.location,
				       .stop = &stop_requested,
				       .progress = keep_progress,
				       .context = &copying};
	struct progress_display display = {.is_running = false};
	struct copy_summary summary;
	char *url = NULL;
	int status;

	catch_signals();
	if (choose_database(arguments->request.location.url, false, &url, error) != 0)
		return -1;
	options.from.url = url;
	options.to.url = arguments->copy_to;
	name_index(options.to.url);
	options.from.stop = options.to.stop = &stop_requested;
	options.from.calls = options.to.calls = &server_calls;
	options.from.disk_calls = options.to.disk_calls = &disk_calls;
	options.from.waiting = options.to.waiting = say_waiting;
	if (progress_is_wanted(arguments->progress, arguments->quiet))
		progress_start(&display, arguments->progress, write_progress, &copying);
	status = index_copy(&options, &summary, error);
	progress_stop(&display);
	if (status == 0 && !arguments->quiet)
		print_summary(&summary);
	if (status == 0 && summary.is_interrupted)
		end_by_signal(PROGRAM, "interrupted; the rows copied so far are stored, and the "
				       "next copy continues");
	free(url);
	return status;
}
