/*
 * --status, --forget and --print.
 * SPDX-License-Identifier: MIT
 */
#include "cli/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "index/forget.h"
#include "report/formatter.h"
#include "scan/scan_file.h"
#include "store/store.h"

#define PROGRAM "simhash"

/* ---- --status ---- */

/* An id without a name is shown as it is. */
static void write_name(const struct name_list *names, int64_t id, size_t width)
{
	const struct name *known = name_list_find(names, id);
	char number[32], *text;
	struct bytes name;
	size_t size, columns;

	snprintf(number, sizeof number, "%" PRId64, id);
	name = known != NULL ? known->text : (struct bytes){number, strlen(number)};
	/* Short of memory the name is not left out; one that needs escapes is then out of line. */
	text = escape_text(name, &size);
	columns = text == NULL ? name.size : text_columns((struct bytes){text, size});
	write_escaped(stdout, name);
	for (; columns < width; columns++)
		putchar(' ');
	free(text);
}

struct status {
	struct name_list hosts, tag_sets, measures;
	struct scope_total *totals;
	size_t total_count;
	struct scan_run_list runs;
};

static void show_totals(const struct status *status)
{
	char count[32], size[32];

	if (status->total_count > 0)
		printf("\n%-20s %-12s %14s %10s\n", "host", "tag set", "files", "bytes");
	for (size_t i = 0; i < status->total_count; i++) {
		const struct scope_total *total = &status->totals[i];
		write_name(&status->hosts, total->scope.host, 20);
		putchar(' ');
		write_name(&status->tag_sets, total->scope.tag_set, 12);
		printf(" %14s %10s\n", format_count((uint64_t)total->rows, count),
		       format_bytes((double)total->bytes, size));
	}
}

static int show_measures(const struct status *status, struct store *store,
			 struct simhash_error *error)
{
	char count[32];

	if (status->measures.count > 0)
		printf("\n%-48s %14s\n", "measure", "sketches");
	for (size_t i = 0; i < status->measures.count; i++) {
		const struct name *measure = &status->measures.names[i];
		int64_t files;
		if (store_count_sketches(store, 0, measure->id, &files, error) != 0)
			return -1;
		write_escaped(stdout, measure->text);
		for (size_t column = text_columns(measure->text); column < 48; column++)
			putchar(' ');
		printf(" %14s\n", format_count((uint64_t)files, count));
	}
	return 0;
}

static bool same_root(const struct scan_run *x, const struct scan_run *y)
{
	return x->scope.host == y->scope.host && x->scope.tag_set == y->scope.tag_set &&
	       x->root.size == y->root.size &&
	       memcmp(x->root.data, y->root.data, x->root.size) == 0;
}

/* Keep the last run of each root, with the number of its runs as `id`. */
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
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm local;
	char text[32];

	if (time_ns == 0 || localtime_r(&seconds, &local) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local) == 0)
		snprintf(text, sizeof text, "not ended");
	printf("%-20s ", text);
}

static void show_runs(const struct status *status)
{
	char count[32], size[32], errors[32];

	if (status->runs.count > 0)
		printf("\n%-20s %-20s %5s %12s %10s %7s  %s\n", "last run began", "ended", "runs",
		       "scanned", "bytes", "errors", "root");
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

int show_index(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct status status = {.totals = NULL};
	struct store *store = NULL;
	struct store_location where = arguments->location;
	char *url = NULL, size[32];
	int64_t bytes;
	int result = -1;

	if (choose_database(arguments->location.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	if (store_open(&where, OPEN_TO_READ, &store, error) != 0 ||
	    store_index_bytes(store, &bytes, error) != 0 ||
	    store_read_hosts(store, &status.hosts, error) != 0 ||
	    store_read_tag_sets(store, &status.tag_sets, error) != 0)
		goto out;
	fputs("index  ", stdout);
	write_escaped(stdout, (struct bytes){url, strlen(url)});
	printf("\nsize   %s\n", format_bytes((double)bytes, size));
	if (store_read_totals(store, &status.totals, &status.total_count, error) != 0)
		goto out;
	show_totals(&status);
	if (store_read_measures(store, &status.measures, error) != 0 ||
	    show_measures(&status, store, error) != 0 ||
	    store_read_runs(store, &status.runs, error) != 0)
		goto out;
	if (status.total_count == 0)
		puts("\nThe index has no files.");
	keep_last_runs(&status.runs);
	show_runs(&status);
	result = 0;
out:
	scan_run_list_release(&status.runs);
	free(status.totals);
	name_list_release(&status.measures);
	name_list_release(&status.tag_sets);
	name_list_release(&status.hosts);
	store_close(store);
	free(url);
	return result;
}

/* ---- --forget ---- */

/* Whose rows are forgotten. */
struct forgetting {
	struct store *store;
	int64_t tag_set, host;
	bool is_elsewhere; /* of another host a path cannot be looked at */
};

static int forget_at(const struct forgetting *f, char *path, int64_t *removed,
		     struct simhash_error *error)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		path[--size] = '\0';
	return forget_path(f->store, f->tag_set, f->host, path, removed, error);
}

static int forget_one(const struct forgetting *f, const char *named, int64_t *removed,
		      struct simhash_error *error)
{
	char *path = f->is_elsewhere && named[0] == '/' ? strdup(named) : path_absolute(named);
	int64_t rows = 0;
	int status;

	if (named[0] == '\0' || path == NULL) {
		free(path);
		if (named[0] == '\0')
			errno = ENOENT;
		return error_set_errno(error, "cannot find the path '%s'", named);
	}
	status = forget_at(f, path, &rows, error);
	/* A link is forgotten as such, or else for what it leads to, as it was indexed. */
	if (status == 0 && rows == 0 && !f->is_elsewhere) {
		char *resolved = realpath(path, NULL);
		if (resolved != NULL && strcmp(resolved, path) != 0)
			status = forget_at(f, resolved, &rows, error);
		free(resolved);
	}
	if (status == 0 && rows == 0)
		status = error_set(error, SIMHASH_E_RANGE, "the index has no file at or below %s",
				   path);
	*removed += rows;
	free(path);
	return status;
}

/* The tag set to forget rows of: 0 for all, unless one is named. */
static int choose_forgotten(const struct index_arguments *arguments, struct forgetting *f,
			    struct simhash_error *error)
{
	struct simhash_tag_set *set;
	int status;

	if (arguments->tag_file == NULL)
		return 0;
	if (choose_tag_set(arguments->tag_file, &set, error) != 0)
		return -1;
	status = store_tag_set_id(f->store, set, false, &f->tag_set, error);
	if (status == 0 && f->tag_set == 0)
		status = error_set(error, SIMHASH_E_RANGE, "the index has no files of tag set '%s'",
				   simhash_tag_set_name(set));
	simhash_tag_set_free(set);
	return status;
}

/* By the name that --status shows, or as it was given to --measure. */
static int forget_measure(const struct forgetting *f, const char *text, struct simhash_error *error)
{
	struct simhash_measure *measure = NULL;
	struct simhash_error ignored;
	struct name_list measures;
	int64_t id, removed;
	char count[32];
	int status;

	if (store_read_measures(f->store, &measures, error) != 0)
		return -1;
	id = name_list_id(&measures, text);
	if (id == 0 && simhash_measure_new(text, &measure, &ignored) == 0)
		id = name_list_id(&measures, simhash_measure_text(measure));
	if (id == 0)
		status = error_set(error, SIMHASH_E_RANGE,
				   "the index has no measure '%s'; simhash --status lists those "
				   "that it has",
				   text);
	else
		status = store_remove_measure(f->store, id, &removed, error);
	if (status == 0)
		fprintf(stderr, "%s removed\n", format_count((uint64_t)removed, count));
	simhash_measure_free(measure);
	name_list_release(&measures);
	return status;
}

int forget_paths(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct forgetting f = {.is_elsewhere = arguments->host != NULL};
	struct store_location where = arguments->location;
	char host[HOST_NAME_SIZE], *url = NULL, count[32];
	int64_t removed = 0;
	int status = -1;

	if (choose_host(arguments->host, host, error) != 0 ||
	    choose_database(arguments->location.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	/* Only what is there: opening to write would make an index. */
	if (store_open(&where, OPEN_TO_READ, &f.store, error) != 0)
		goto out;
	store_close(f.store);
	if (store_open(&where, OPEN_TO_WRITE, &f.store, error) != 0)
		goto out;
	if (arguments->measure_text != NULL) {
		status = forget_measure(&f, arguments->measure_text, error);
		goto out;
	}
	if (store_host_id(f.store, host, false, &f.host, error) != 0 ||
	    choose_forgotten(arguments, &f, error) != 0)
		goto out;
	status = f.host == 0 ? error_set(error, SIMHASH_E_RANGE,
					 "the index has no files of host '%s'", host)
			     : 0;
	for (unsigned i = 0; status == 0 && i < arguments->path_count; i++)
		status = forget_one(&f, arguments->paths[i], &removed, error);
	if (!arguments->quiet && removed > 0)
		fprintf(stderr, "%s removed\n", format_count((uint64_t)removed, count));
out:
	store_close(f.store);
	free(url);
	return status;
}

/* ---- --print ---- */

static void write_row(const struct file_row *row, const struct simhash_tag_set *set)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);

	fputs("file          ", stdout);
	write_escaped(stdout, row->name);
	printf("\nsize          %" PRId64 "\ncontent       ", row->size_bytes);
	for (int i = 0; i < CONTENT_HASH_SIZE; i++)
		printf("%02x", row->content_hash[i]);
	putchar('\n');
	for (int t = 0; t < SIMHASH_TAGS; t++)
		printf("sum %02x        %" PRIu64 "\n", tags[t].pattern, row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		printf("%-13s %" PRId64 "\n", simhash_key_name((enum simhash_key)k),
		       row->keys.key[k]);
}

struct printing {
	const struct simhash_tag_set *tag_set;
	struct file_scanner scanner;
	bool is_first, *had_unreadable;
};

/* One file, or what is in it. */
static void print_view(struct printing *printing, const char *path, struct bytes shown,
		       bool is_inflated)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct file_row row = {.name = shown};
	enum scan_outcome outcome;
	const char *slash = strrchr(shown.data, '/');
	struct bytes name =
		slash == NULL
			? shown
			: (struct bytes){slash + 1, (size_t)(shown.data + shown.size - slash - 1)};

	if (is_stdin)
		name.size = 0;
	outcome = is_stdin	? scan_stream(&printing->scanner, STDIN_FILENO, &row)
		  : is_inflated ? scan_inflated(&printing->scanner, AT_FDCWD, path, &row)
				: scan_file(&printing->scanner, AT_FDCWD, path, NULL, &row);
	if (outcome != SCAN_DONE) {
		*printing->had_unreadable = true;
		say_path(PROGRAM, shown,
			 outcome == SCAN_GONE && access(path, F_OK) == 0 ? "Not a regular file"
			 : outcome == SCAN_GONE				 ? strerror(ENOENT)
									 : explain_errno(errno));
		return;
	}
	/* The keys are those of the name, not of the path to it. */
	simhash_keys_compute(printing->tag_set, &row.table, name.data, name.size, &row.keys);
	if (!printing->is_first)
		putchar('\n');
	printing->is_first = false;
	write_row(&row, printing->tag_set);
}

static int print_file(struct printing *printing, const char *path, bool inflate,
		      struct simhash_error *error)
{
	struct bytes shown = {path, strlen(path)};
	const char *slash = strrchr(path, '/');
	size_t above = slash == NULL ? 0 : (size_t)(slash + 1 - path);
	struct bytes name = {path + above, shown.size - above};
	char *inflated;

	print_view(printing, path, shown, false);
	if (!inflate || strcmp(path, "-") == 0)
		return 0;
	inflated = malloc(above + 2 * name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	memcpy(inflated, path, above);
	name.size = inflated_name(name, inflated + above);
	if (name.size > 0)
		print_view(printing, path, (struct bytes){inflated, above + name.size}, true);
	free(inflated);
	return 0;
}

int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error)
{
	static const atomic_bool never_stop;
	struct simhash_tag_set *tag_set = NULL;
	struct printing printing = {.is_first = true, .had_unreadable = had_unreadable};
	int status;

	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0)
		return -1;
	printing.tag_set = tag_set;
	status = file_scanner_init(&printing.scanner, tag_set, true, &never_stop, error);
	if (status == 0) {
		printing.scanner.max_inflated_bytes = arguments->max_inflated_bytes;
		for (unsigned i = 0; status == 0 && i < arguments->path_count; i++)
			status = print_file(&printing, arguments->paths[i], arguments->inflate,
					    error);
		file_scanner_release(&printing.scanner);
	}
	simhash_tag_set_free(tag_set);
	return status;
}
