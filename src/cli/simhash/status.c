/*
 * Implements simhash --status: reads the contents of an index and shows them as text.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/path.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "cli/options/options.h"
#include "cli/simhash/status.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/terminal.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/damage_rows.h"
#include "store/write/sketch_table.h"

static void write_padded(struct bytes text, size_t width)
{
	size_t size;
	char *escaped = escape_text(text, &size);
	/* Without memory for the escapes, columns after an escaped name are not aligned. */
	size_t columns = escaped == NULL ? text.size : text_columns((struct bytes){escaped, size});

	write_escaped(stdout, text);
	for (; columns < width; columns++)
		putchar(' ');
	free(escaped);
}

/* An id without a name is shown as a number. */
static void write_name(const struct name_list *names, int64_t id, size_t width)
{
	const struct name *known = name_list_find(names, id);
	char digits[32];

	snprintf(digits, sizeof digits, "%" PRId64, id);
	write_padded(known != NULL ? known->text : bytes_of(digits), width);
}

static void show_totals(const struct index_status *status)
{
	char count[32], size[32], sketches[32];

	if (status->total_count > 0)
		printf("\n%-20s %-12s %14s %14s %10s\n", "host", "tag set", "files", "sketches",
		       "bytes");
	for (size_t i = 0; i < status->total_count; i++) {
		const struct scope_total *total = &status->totals[i];
		write_name(&status->hosts, total->scope.host, 20);
		putchar(' ');
		write_name(&status->tag_sets, total->scope.tag_set, 12);
		printf(" %14s %14s %10s\n", format_count((uint64_t)total->rows, count),
		       format_count((uint64_t)total->resemblances, sketches),
		       format_bytes((double)total->bytes, size));
	}
}

static void show_damaged(const struct index_status *status)
{
	uint64_t damaged = 0;
	char count[32];

	for (size_t i = 0; i < status->total_count; i++)
		damaged += (uint64_t)status->damaged[i];
	if (damaged > 0)
		printf("\n%s file%s damaged; simfind --damaged lists %s\n",
		       format_count(damaged, count), damaged == 1 ? " is" : "s are",
		       damaged == 1 ? "it" : "them");
}

static void show_measures(const struct index_status *status)
{
	char count[32];

	if (status->measures.count > 0)
		printf("\n%-48s %14s\n", "measure", "sketches");
	for (size_t i = 0; i < status->measures.count; i++) {
		write_padded(status->measures.names[i].text, 48);
		printf(" %14s\n", format_count((uint64_t)status->measure_files[i], count));
	}
}

static bool same_root(const struct scan_run *x, const struct scan_run *y)
{
	return x->scope.host == y->scope.host && x->scope.tag_set == y->scope.tag_set &&
	       x->root.size == y->root.size &&
	       memcmp(x->root.data, y->root.data, x->root.size) == 0;
}

/* Keep the last run of each root, and set its `id` to the number of runs of this root. */
static void keep_last_runs(struct scan_run_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct scan_run run = list->runs[i];
		size_t same = 0;
		int64_t runs = 1;
		while (same < kept && !same_root(&list->runs[same], &run))
			same++;
		if (same < kept)
			runs += list->runs[same].id;
		else
			kept++;
		list->runs[same] = run;
		list->runs[same].id = runs;
	}
	list->count = kept;
}

static void write_time(int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	struct tm local;
	char text[32];

	if (time_ns == 0 || localtime_r(&seconds, &local) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local) == 0)
		snprintf(text, sizeof text, "unfinished");
	printf("%-20s ", text);
}

static void show_runs(const struct index_status *status)
{
	char count[32], size[32], errors[32];

	if (status->runs.count > 0)
		printf("\n%-20s %-20s %5s %12s %10s %7s  %s\n", "last run started", "finished",
		       "runs", "scanned", "bytes", "errors", "path");
	for (size_t i = 0; i < status->runs.count; i++) {
		const struct scan_run *run = &status->runs.runs[i];
		write_time(run->started_at_ns);
		write_time(run->finished_at_ns);
		printf("%5" PRId64 " %12s %10s %7s  ", run->id,
		       format_count((uint64_t)run->files, count),
		       format_bytes((double)run->bytes, size),
		       format_count((uint64_t)run->errors, errors));
		if (status->hosts.count > 1) {
			write_name(&status->hosts, run->scope.host, 0);
			putchar(':');
		}
		write_escaped(stdout, run->root);
		putchar('\n');
	}
}

static void show_answers(const struct index_status *status)
{
	char groups[32], files[32], pairs[32];

	if (status->answers.count > 0)
		printf("\n%-20s %-12s %12s %12s %12s  %s\n", "stored answers", "tag set", "groups",
		       "their files", "pairs", "command");
	for (size_t i = 0; i < status->answers.count; i++) {
		const struct find_run *run = &status->answers.runs[i];
		write_time(run->finished_at_ns);
		write_name(&status->tag_sets, run->tag_set, 12);
		printf(" %12s %12s %12s  ", format_count((uint64_t)run->groups, groups),
		       format_count((uint64_t)run->files, files),
		       format_count((uint64_t)run->stored_pairs, pairs));
		write_escaped(stdout, run->options);
		putchar('\n');
	}
}

static int count_sketches(struct index_status *status, struct store *store,
			  struct simhash_error *error)
{
	size_t count = status->measures.count;

	status->measure_files = calloc(count + 1, sizeof *status->measure_files);
	if (status->measure_files == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++)
		if (store_count_sketches(store, 0, status->measures.names[i].id,
					 &status->measure_files[i], error) != 0)
			return -1;
	return 0;
}

static int count_damaged(struct index_status *status, struct store *store,
			 struct simhash_error *error)
{
	status->damaged = calloc(status->total_count + 1, sizeof *status->damaged);
	if (status->damaged == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < status->total_count; i++)
		if (damage_rows_count(store, &status->totals[i].scope, &status->damaged[i],
				      error) != 0)
			return -1;
	return 0;
}

static int read_status(struct index_status *status, struct store *store,
		       struct simhash_error *error)
{
	if (store_index_bytes(store, &status->bytes, error) != 0 ||
	    store_read_hosts(store, &status->hosts, error) != 0 ||
	    store_read_tag_sets(store, &status->tag_sets, error) != 0 ||
	    store_read_totals(store, &status->totals, &status->total_count, error) != 0 ||
	    count_damaged(status, store, error) != 0 ||
	    store_read_measures(store, &status->measures, error) != 0 ||
	    count_sketches(status, store, error) != 0 ||
	    store_read_runs(store, &status->runs, error) != 0 ||
	    find_runs_read(store, &status->answers, error) != 0)
		return -1;
	keep_last_runs(&status->runs);
	return 0;
}

static void show_text(const struct index_status *status)
{
	char size[32];

	fputs("index  ", stdout);
	write_escaped(stdout, bytes_of(status->url));
	printf("\nsize   %s\n", format_bytes((double)status->bytes, size));
	show_totals(status);
	show_damaged(status);
	show_measures(status);
	if (status->total_count == 0)
		puts("\nThe index has no files.");
	show_runs(status);
	show_answers(status);
}

int show_index(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct index_status status = {.totals = NULL};
	struct store *store = NULL;
	struct store_location where = arguments->request.location;
	char *url = NULL;
	int result = -1;

	if (choose_database(arguments->request.location.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	status.url = url;
	if (store_open(&where, OPEN_TO_READ, &store, error) != 0 ||
	    read_status(&status, store, error) != 0)
		goto out;
	if (arguments->format == STATUS_JSON)
		write_status_json(stdout, &status);
	else
		show_text(&status);
	result = 0;
out:
	find_run_list_release(&status.answers);
	scan_run_list_release(&status.runs);
	free(status.totals);
	free(status.damaged);
	free(status.measure_files);
	name_list_release(&status.measures);
	name_list_release(&status.tag_sets);
	name_list_release(&status.hosts);
	store_close(store);
	free(url);
	return result;
}
