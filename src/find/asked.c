/*
 * The files asked for: resolved, so that each is asked for once; scanned now, so that they need
 * not be in the index; and their pairs reported. A file's own row is not reported, and two files
 * that are both asked for are reported once.
 * SPDX-License-Identifier: MIT
 */
#include "find/asked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/open_file.h"
#include "base/pair_set.h"
#include "base/path.h"
#include "find/around.h"
#include "find/nearest.h"
#include "find/pair_reporter.h"
#include "find/sketch_join.h"
#include "find/verify.h"
#include "find/versions.h"
#include "scan/container.h"
#include "scan/scan_file.h"

struct asking {
	struct finder *finder;
	struct pair_reporter reporter;
	struct file_scanner scanner;
	struct nearest nearest;
	struct sketch_pass pass;
	struct pair_set asked;	  /* hashes of all paths asked for so far and to come */
	struct pair_set reported; /* pairs of two such paths, as two hashes */
};

void asked_file_release(struct asked_file *asked)
{
	row_sketches_drop(asked->sketches);
	asked->sketches = NULL;
	arena_release(&asked->arena);
}

static uint64_t hash_path(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

/* ---- Reporting ---- */

/* Is this a pair of two files asked for that was reported already? Notes it if not. */
static int is_repeated(struct asking *asking, const struct file_pair *pair)
{
	uint64_t x = hash_path(find_file_path(pair->a)), y = hash_path(find_file_path(pair->b));
	int added;

	/* Members of archives are not known to be asked for before their turn. */
	if (!pair->b->is_local || (!row_is_inside(pair->b->compressed_size_bytes) &&
				   !pair_set_has(&asking->asked, (struct pair){y, 0})))
		return 0;
	added = pair_set_add(&asking->reported, x < y ? (struct pair){x, y} : (struct pair){y, x});
	return added < 0 ? -1 : added == 0;
}

/* `a` is the file asked for. */
static int report_once(struct asking *asking, struct file_pair pair, struct simhash_error *error)
{
	int repeated = is_repeated(asking, &pair);

	if (repeated != 0)
		return repeated < 0 ? error_set_memory(error) : 0;
	return report_pair(&asking->reporter, pair, error);
}

/* The pairs of the rule, from the rows near by; or what the sketches propose beyond it, from all. */
static int report_matches(struct asking *asking, const struct asked_file *asked, bool by_sketches,
			  struct simhash_error *error)
{
	const struct find_request *request = asking->finder->request;
	struct around around;
	struct find_file other;
	int status = by_sketches ? around_begin_all(&around, asking->finder, asked, error)
				 : around_begin_rule(&around, asking->finder, asked, error);

	if (status != 0)
		return -1;
	while ((status = around_next(&around, &other, error)) == 1) {
		struct file_pair pair = {.a = &asked->file, .b = &other};
		bool matches = by_sketches
				       ? versions_match(request, &asked->file, &other, &pair)
				       : rule_matches(&request->rule, &asked->file, &other, &pair);
		if (matches && report_once(asking, pair, error) != 0) {
			status = -1;
			break;
		}
	}
	asking->reporter.counts.rows += around.rows;
	if (!by_sketches)
		asking->reporter.counts.unsketched += around.unsketched;
	around_end(&around);
	return status;
}

static int report_nearest(struct asking *asking, const struct asked_file *asked,
			  struct simhash_error *error)
{
	struct nearest *nearest = &asking->nearest;
	int status =
		nearest_find(nearest, asking->finder, asked, &asking->reporter.counts.rows, error);

	for (size_t i = 0; status == 0 && i < nearest->count; i++) {
		struct file_pair pair = {.a = &asked->file,
					 .b = &nearest->items[i].file,
					 .distance = nearest->items[i].distance};
		estimate_resemblance(pair.a, pair.b, &pair);
		status = report_once(asking, pair, error);
	}
	return status;
}

/* All that were added to the pass so far. */
static int report_sketched(struct asking *asking, struct simhash_error *error)
{
	struct file_pair pair;
	int status = sketch_pass_begin(&asking->pass, error);

	while (status == 0 && (status = sketch_pass_next(&asking->pass, &pair, error)) == 1)
		status = report_once(asking, pair, error);
	sketch_pass_end(&asking->pass);
	return status;
}

/* ---- Scanning ---- */

/* The row's names: of a path, of standard input, or of what is in a gzip file. */
static int name_row(const struct find_query *query, const char *path, bool is_inflated,
		    struct arena *arena, struct file_row *row, struct simhash_error *error)
{
	char *inflated;

	row->name = bytes_of(path == NULL ? query->name : path_name(path));
	row->directory = path == NULL ? bytes_of("") : path_directory(path);
	if (!is_inflated)
		return 0;
	inflated = arena_take(arena, 2 * row->name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	row->name.size = inflated_name(row->name, inflated);
	row->name.data = inflated;
	return 0;
}

static bool scan_row(struct asking *asking, const char *path, bool is_inflated,
		     struct file_row *row)
{
	const struct find_sink *sink = asking->finder->sink;

	if (scan_named(&asking->scanner, path, is_inflated, row) == 0)
		return true;
	sink->unreadable(sink->context, bytes_of(path == NULL ? "standard input" : path), errno);
	return false;
}

/* Scan the file, or what is in it: 1, or 0 when it cannot be read, which is reported. */
static int scan_asked(struct asking *asking, const struct find_query *query, const char *path,
		      bool is_inflated, struct asked_file *asked, struct simhash_error *error)
{
	struct file_row row = {.host = asking->finder->local_host};

	if (name_row(query, path, is_inflated, &asked->arena, &row, error) != 0)
		return -1;
	if ((is_inflated && row.name.size == 0) || !scan_row(asking, path, is_inflated, &row))
		return 0;
	asked->sketches = row.sketches;
	asked->keys = row.keys;
	if (path != NULL) {
		uint8_t directory[DIRECTORY_HASH_SIZE];
		directory_hash(row.directory, directory);
		path_hash(directory, row.name, row.path_hash);
	}
	if (finder_convert(asking->finder, &row, &asked->file, error) != 0)
		return -1;
	if (row.name.size == 0)
		row.name = (struct bytes){"-", 1};
	asked->file.is_stream = path == NULL;
	asked->file.is_local = true;
	return finder_show(asking->finder, &row, &asked->arena, &asked->file, error) != 0 ? -1 : 1;
}

/* Report what is similar to a file asked for, and release it. */
static int report_asked(struct asking *asking, struct asked_file *asked,
			struct simhash_error *error)
{
	const struct find_request *request = asking->finder->request;
	int status = 0;

	if (request->measure != NULL) {
		if (sketch_pass_add(&asking->pass, asked, error) != 0)
			return -1;
		return sketch_pass_is_full(&asking->pass) ? report_sketched(asking, error) : 0;
	}
	if (asked->file.size_bytes > 0 || request->with_empty)
		status = request->nearest > 0 ? report_nearest(asking, asked, error)
					      : report_matches(asking, asked, false, error);
	if (status == 0 && request->versions && asked->file.size_bytes > 0)
		status = report_matches(asking, asked, true, error);
	asked_file_release(asked);
	return status < 0 ? -1 : 0;
}

static int ask_for(struct asking *asking, const struct find_query *query, const char *path,
		   bool is_inflated, struct simhash_error *error)
{
	struct asked_file asked = {.sketches = NULL};
	int status = scan_asked(asking, query, path, is_inflated, &asked, error);

	if (status == 1)
		return report_asked(asking, &asked, error);
	asked_file_release(&asked);
	return status;
}

/* ---- The members of archives ---- */

/* Ask for the member that a row is of. */
static int ask_for_member(struct asking *asking, const char *path, struct file_row *row,
			  struct simhash_error *error)
{
	struct asked_file asked = {.sketches = row->sketches, .keys = row->keys};
	size_t size = strlen(path);
	char *names = arena_take(&asked.arena, size + 1 + row->name.size);
	uint8_t directory[DIRECTORY_HASH_SIZE];
	int status = -1;

	if (names == NULL) {
		asked_file_release(&asked);
		return error_set_memory(error);
	}
	memcpy(names, path, size);
	names[size] = '/';
	memcpy(names + size + 1, row->name.data, row->name.size);
	row->directory = (struct bytes){names, size + 1};
	row->name = (struct bytes){names + size + 1, row->name.size};
	row->host = asking->finder->local_host;
	directory_hash(row->directory, directory);
	path_hash(directory, row->name, row->path_hash);
	if (finder_convert(asking->finder, row, &asked.file, error) == 0 &&
	    finder_show(asking->finder, row, &asked.arena, &asked.file, error) == 0) {
		asked.file.is_local = true;
		status = report_asked(asking, &asked, error);
	} else {
		asked_file_release(&asked);
	}
	return status;
}

static void report_trouble(struct asking *asking, const char *path,
			   const struct container *container)
{
	const struct find_sink *sink = asking->finder->sink;
	struct bytes member = container_name(container);
	size_t size = strlen(path);
	char *whole = malloc(size + 2 + member.size);
	struct bytes about = bytes_of(path);

	if (whole != NULL && member.size > 0) {
		memcpy(whole, path, size);
		memcpy(whole + size, "//", 2);
		memcpy(whole + size + 2, member.data, member.size);
		about = (struct bytes){whole, size + 2 + member.size};
	}
	sink->unreadable(sink->context, about, container_why(container));
	free(whole);
}

/* Ask for all members of a file that was opened. */
static int ask_for_contents(struct asking *asking, const char *path, int fd,
			    const struct stat *file, struct simhash_error *error)
{
	struct container *container =
		container_open(&asking->scanner, fd, file, bytes_of(path_name(path)));
	struct file_row row = {.mtime_ns = stat_mtime_ns(file),
			       .links = 1,
			       .compressed_size_bytes = file->st_size};
	enum container_answer answer;
	int status = 0;

	if (container == NULL)
		return error_set_memory(error);
	while (status == 0 && (answer = container_next(container, &row)) != CONTAINER_END)
		if (answer == CONTAINER_MEMBER)
			status = ask_for_member(asking, path, &row, error);
		else
			report_trouble(asking, path, container);
	container_close(container);
	return status;
}

static int ask_for_members(struct asking *asking, const char *path, struct simhash_error *error)
{
	int fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY), status = 0;
	struct stat file;

	/* What is wrong with the file was reported as it was scanned. */
	if (fd < 0)
		return 0;
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && scan_kind(&asking->scanner, fd) != 0)
		status = ask_for_contents(asking, path, fd, &file, error);
	close(fd);
	return status;
}

/* ---- What is asked for ---- */

/* The content of a gzip file is asked for under a name of its own. */
static int note_content(struct asking *asking, const char *path)
{
	struct bytes name = bytes_of(path_name(path));
	size_t directory = (size_t)(name.data - path);
	char *inner = malloc(directory + 2 * name.size + 8);
	int added = -1;

	if (inner == NULL)
		return -1;
	memcpy(inner, path, directory);
	added = inflated_name(name, inner + directory) == 0
			? 0
			: pair_set_add(&asking->asked, (struct pair){hash_path(inner), 0});
	free(inner);
	return added;
}

/* Resolve a path and note that it is asked for. *resolved stays NULL where the path was asked for
   before, or where there is no such file, which is reported. */
static int resolve(struct asking *asking, const char *path, char **resolved,
		   struct simhash_error *error)
{
	const struct finder *finder = asking->finder;
	char *found = realpath(path, NULL);
	int added;

	if (found == NULL) {
		finder->sink->unreadable(finder->sink->context, bytes_of(path), errno);
		return 0;
	}
	added = pair_set_add(&asking->asked, (struct pair){hash_path(found), 0});
	if (added >= 0 && finder->request->inflate && note_content(asking, found) < 0)
		added = -1;
	if (added == 1)
		*resolved = found;
	else
		free(found);
	return added < 0 ? error_set_memory(error) : 0;
}

static int ask_for_all(struct asking *asking, const struct find_query *queries, size_t count,
		       struct simhash_error *error)
{
	bool inflate = asking->finder->request->inflate;
	char **resolved = calloc(count + 1, sizeof *resolved);
	int status = resolved == NULL ? error_set_memory(error) : 0;

	/* All are known before the first is reported. */
	for (size_t i = 0; status == 0 && i < count; i++)
		if (queries[i].path != NULL)
			status = resolve(asking, queries[i].path, &resolved[i], error);
	for (size_t i = 0; status == 0 && i < count; i++) {
		bool is_stream = queries[i].path == NULL;
		if (is_stream || resolved[i] != NULL)
			status = ask_for(asking, &queries[i], resolved[i], false, error);
		if (status == 0 && inflate && resolved[i] != NULL)
			status = ask_for(asking, &queries[i], resolved[i], true, error);
		if (status == 0 && inflate && resolved[i] != NULL)
			status = ask_for_members(asking, resolved[i], error);
	}
	if (status == 0)
		status = report_sketched(asking, error);
	for (size_t i = 0; resolved != NULL && i < count; i++)
		free(resolved[i]);
	free(resolved);
	return status;
}

int finder_files(struct finder *finder, const struct find_query *queries, size_t count,
		 struct simhash_error *error)
{
	static const atomic_bool never_stop;
	const struct find_request *request = finder->request;
	struct asking asking = {.finder = finder, .reporter = {.finder = finder}};
	int status = -1;

	if (file_scanner_init(&asking.scanner, request->tags, true, &never_stop, error) != 0)
		return -1;
	asking.scanner.max_inflated_bytes = request->max_inflated_bytes;
	asking.scanner.max_depth = CONTAINER_DEPTH;
	if ((!request->inflate || container_kinds(&asking.scanner.containers, error) == 0) &&
	    (request->measure == NULL ||
	     file_scanner_measure(&asking.scanner, &request->measure, 1, 0, error) == 0) &&
	    (request->sandbox == NULL ||
	     file_scanner_isolate(&asking.scanner, request->sandbox, error) == 0) &&
	    sketch_pass_init(&asking.pass, finder, error) == 0 &&
	    nearest_init(&asking.nearest, request->nearest, error) == 0)
		status = ask_for_all(&asking, queries, count, error);
	asking.reporter.counts.rows += asking.pass.rows;
	find_counts_add(&finder->counts, &asking.reporter.counts);
	nearest_release(&asking.nearest);
	sketch_pass_release(&asking.pass);
	pair_set_release(&asking.reported);
	pair_set_release(&asking.asked);
	file_scanner_release(&asking.scanner);
	return status;
}

int finder_content(struct finder *finder, const struct find_content *content,
		   struct simhash_error *error)
{
	struct asking asking = {.finder = finder, .reporter = {.finder = finder}};
	struct asked_file asked = {.sketches = NULL};
	struct file_row row = {.host = finder->local_host,
			       .directory = {"", 0},
			       .name = bytes_of(content->name),
			       .size_bytes = content->size_bytes,
			       .table = content->table};
	int status = 0;

	simhash_keys_compute(finder->request->tags, &row.table, row.name.data, row.name.size,
			     &row.keys);
	asked.keys = row.keys;
	if (finder->tag_set == 0 || (row.size_bytes == 0 && !finder->request->with_empty))
		return 0;
	if (finder_read(finder, &row, &asked.arena, &asked.file, error) != 0)
		status = -1;
	asked.file.is_stream = asked.file.is_local = true;
	if (status == 0)
		status = report_matches(&asking, &asked, false, error);
	find_counts_add(&finder->counts, &asking.reporter.counts);
	asked_file_release(&asked);
	pair_set_release(&asking.reported);
	return status < 0 ? -1 : 0;
}
