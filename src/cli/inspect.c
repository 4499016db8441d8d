/*
 * --status, --forget and --print.
 * SPDX-License-Identifier: MIT
 */
#include "cli/inspect.h"
#include "cli/measure_option.h"

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

struct names {
	char *name[256]; /* by number; those beyond are shown as numbers */
};

static int keep_name(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct names *names = context;

	if (id < 0 || (size_t)id >= sizeof names->name / sizeof *names->name)
		return 0;
	free(names->name[id]);
	names->name[id] = strndup(name.data, name.size);
	return names->name[id] == NULL ? error_set_memory(error) : 0;
}

static void names_release(struct names *names)
{
	for (size_t i = 0; i < sizeof names->name / sizeof *names->name; i++)
		free(names->name[i]);
}

static void write_name(const struct names *names, int64_t id, size_t width)
{
	bool is_known = id >= 0 && (size_t)id < sizeof names->name / sizeof *names->name &&
			names->name[id] != NULL;
	char number[32], *text;
	const char *name = is_known ? names->name[id] : number;
	size_t size, columns;

	snprintf(number, sizeof number, "%" PRId64, id);
	/* Short of memory the name is not left out; one that needs escapes is then out of line. */
	text = escape_text((struct bytes){name, strlen(name)}, &size);
	columns = text == NULL ? strlen(name) : text_columns((struct bytes){text, size});
	write_escaped(stdout, (struct bytes){name, strlen(name)});
	for (; columns < width; columns++)
		putchar(' ');
	free(text);
}

struct status {
	struct names hosts, tag_sets;
	bool has_rows;
	struct scan_run *runs; /* the last of each root, with `id` the number of its runs */
	size_t run_count;
};

static int show_total(void *context, const struct row_scope *scope, int64_t rows, int64_t bytes,
		      struct simhash_error *error)
{
	struct status *status = context;
	char count[32], size[32];

	(void)error;
	if (!status->has_rows)
		printf("\n%-20s %-12s %14s %10s\n", "host", "tag set", "files", "bytes");
	status->has_rows = true;
	write_name(&status->hosts, scope->host, 20);
	putchar(' ');
	write_name(&status->tag_sets, scope->tag_set, 12);
	printf(" %14s %10s\n", format_count((uint64_t)rows, count),
	       format_bytes((double)bytes, size));
	return 0;
}

static int show_measure(void *context, struct bytes text, int64_t files,
			struct simhash_error *error)
{
	bool *has_measures = context;
	char count[32];

	(void)error;
	if (!*has_measures)
		printf("\n%-48s %14s\n", "measure", "sketches");
	*has_measures = true;
	write_escaped(stdout, text);
	for (size_t i = text_columns(text); i < 48; i++)
		putchar(' ');
	printf(" %14s\n", format_count((uint64_t)files, count));
	return 0;
}

static bool same_root(const struct scan_run *x, const struct scan_run *y)
{
	return x->scope.host == y->scope.host && x->scope.tag_set == y->scope.tag_set &&
	       x->root.size == y->root.size &&
	       memcmp(x->root.data, y->root.data, x->root.size) == 0;
}

/* Keep the last run of each root, and how many there were. */
static int keep_run(void *context, const struct scan_run *run, struct simhash_error *error)
{
	struct status *status = context;
	struct scan_run *grown, *kept = NULL;
	char *root;

	for (size_t i = 0; kept == NULL && i < status->run_count; i++)
		if (same_root(&status->runs[i], run))
			kept = &status->runs[i];
	if (kept != NULL) {
		int64_t runs = kept->id;
		struct bytes text = kept->root;
		*kept = *run;
		kept->id = runs + 1;
		kept->root = text;
		return 0;
	}
	grown = realloc(status->runs, (status->run_count + 1) * sizeof *grown);
	root = malloc(run->root.size + 1);
	if (grown != NULL)
		status->runs = grown;
	if (grown == NULL || root == NULL) {
		free(root);
		return error_set_memory(error);
	}
	memcpy(root, run->root.data, run->root.size);
	kept = &grown[status->run_count++];
	*kept = *run;
	kept->id = 1;
	kept->root = (struct bytes){root, run->root.size};
	return 0;
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

	if (status->run_count > 0)
		printf("\n%-20s %-20s %5s %12s %10s %7s  %s\n", "last run began", "ended", "runs",
		       "scanned", "bytes", "errors", "root");
	for (size_t i = 0; i < status->run_count; i++) {
		const struct scan_run *run = &status->runs[i];
		write_time(run->started_at_ns);
		write_time(run->finished_at_ns);
		printf("%5" PRId64 " %12s %10s %7s  ", run->id,
		       format_count((uint64_t)run->files, count),
		       format_bytes((double)run->bytes, size),
		       format_count((uint64_t)run->errors, errors));
		if (status->hosts.name[1] != NULL && status->hosts.name[2] != NULL) {
			write_name(&status->hosts, run->scope.host, 0);
			putchar(':');
		}
		write_escaped(stdout, run->root);
		putchar('\n');
	}
}

int show_index(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct status status = {.has_rows = false};
	struct store *store = NULL;
	struct store_location where = arguments->location;
	char *url = NULL, size[32];
	bool has_measures = false;
	int64_t bytes;
	int result = -1;

	if (choose_database(arguments->location.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	if (store_open(&where, OPEN_TO_READ, &store, error) != 0 ||
	    store_index_bytes(store, &bytes, error) != 0 ||
	    store_read_hosts(store, keep_name, &status.hosts, error) != 0 ||
	    store_read_tag_sets(store, keep_name, &status.tag_sets, error) != 0)
		goto out;
	fputs("index  ", stdout);
	write_escaped(stdout, (struct bytes){url, strlen(url)});
	printf("\nsize   %s\n", format_bytes((double)bytes, size));
	if (store_read_totals(store, show_total, &status, error) != 0 ||
	    store_read_measure_totals(store, show_measure, &has_measures, error) != 0 ||
	    store_read_runs(store, keep_run, &status, error) != 0)
		goto out;
	if (!status.has_rows)
		puts("\nThe index has no files.");
	show_runs(&status);
	result = 0;
out:
	for (size_t i = 0; i < status.run_count; i++)
		free((char *)(uintptr_t)status.runs[i].root.data);
	free(status.runs);
	names_release(&status.hosts);
	names_release(&status.tag_sets);
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

struct named_measure {
	const char *given, *canonical;
	int64_t id;
};

static int match_measure(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct named_measure *named = context;
	const char *const texts[] = {named->given, named->canonical};

	(void)error;
	for (int i = 0; i < 2; i++)
		if (texts[i] != NULL && strlen(texts[i]) == name.size &&
		    memcmp(texts[i], name.data, name.size) == 0)
			named->id = id;
	return 0;
}

/* By the name that --status shows, or as it was given to --measure. */
static int forget_measure(const struct forgetting *f, const char *text, struct simhash_error *error)
{
	struct named_measure named = {.given = text};
	struct simhash_measure *measure = NULL;
	struct simhash_error ignored;
	int64_t removed;
	char count[32];
	int status;

	if (measure_option_parse(text, &measure, &ignored) == 0)
		named.canonical = simhash_measure_text(measure);
	status = store_read_measures(f->store, match_measure, &named, error);
	if (status == 0 && named.id == 0)
		status = error_set(error, SIMHASH_E_RANGE,
				   "the index has no measure '%s'; simhash --status lists those "
				   "that it has",
				   text);
	if (status == 0)
		status = store_remove_measure(f->store, named.id, &removed, error);
	if (status == 0)
		fprintf(stderr, "%s removed\n", format_count((uint64_t)removed, count));
	simhash_measure_free(measure);
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
