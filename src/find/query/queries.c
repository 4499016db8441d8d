/*
 * Processes the requested files: resolves their paths, so that each file is searched once; scans
 * them now, so that they need not be in the index; and reports their pairs. A file's own row is not
 * reported, and a pair of two requested files is reported once.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "core/resemblance.h"
#include "find/pairs/sketch_join.h"
#include "find/query/file_pieces.h"
#include "find/query/member_path.h"
#include "find/query/queried_batch.h"
#include "find/query/queried_report.h"
#include "find/rule/queried_file.h"
#include "find/rule/texts.h"
#include "scan/archive/container.h"
#include "scan/archive/sandbox.h"
#include "scan/document/document.h"
#include "scan/file/scan_file.h"
#include "store/rows/piece_rows.h"

/*
 * The pieces of requested files: denser than the pieces of most indexes, and also of small files,
 * because they are not stored.
 */
static const struct piece_levels asked_levels = {.text = 6, .other = 8, .small = true};

struct asking {
	struct finder *finder;
	struct queried_report report;
	struct file_scanner scanner;
	unsigned known_kinds; /* the kinds of containers that this build can open */
	int told; /* the reported failure of the content of the current gzip file; or 0 */
	/* Files that wait for a search: by a measure, or by the rule. */
	struct sketch_pass pass;
	struct queried_batch batch;
};

/* Report the pairs of all files in the pass. */
static int report_sketched(struct asking *asking, struct simhash_error *error)
{
	struct file_pair pair;
	int status = sketch_pass_begin(&asking->pass, error);

	while (status == 0 && (status = sketch_pass_next(&asking->pass, &pair, error)) == 1)
		status = queried_report_pair(&asking->report, pair, error);
	sketch_pass_end(&asking->pass);
	return status;
}

/* Search for the files that wait: also in the files of the index, if that is requested. */
static int search_batch(struct asking *asking, struct simhash_error *error)
{
	struct queried_passages passages = {.items = NULL};
	struct queried_batch *batch = &asking->batch;
	int status =
		queried_passages_find(&passages, batch->files, batch->count, asking->finder, error);

	asking->report.passages = &passages;
	find_counts_add(&asking->report.reporter.counts, &passages.counts);
	if (status == 0)
		status = queried_batch_search(batch, error);
	if (status == 0)
		status = queried_report_passages(&asking->report, &passages, error);
	asking->report.passages = NULL;
	queried_passages_release(&passages);
	return status;
}

/* ---- Scanning ---- */

/* Set the names in a row: for a path, for standard input, or for the content of a gzip file. */
static int name_row(const char *path, bool is_inflated, struct arena *arena, struct file_row *row,
		    struct simhash_error *error)
{
	char *inflated;

	row->name = bytes_of(path == NULL ? "" : path_name(path));
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

	asking->told = 0;
	if (scan_named(&asking->scanner, path, is_inflated, row) == 0)
		return true;
	asking->told = errno;
	sink->unreadable(sink->context, bytes_of(path == NULL ? "standard input" : path), errno);
	return false;
}

/*
 * Scan the file, or its uncompressed content. Returns 1, or 0 if it cannot be read, which is
 * reported.
 */
static int scan_asked(struct asking *asking, const char *path, bool is_inflated,
		      struct queried_file *queried, struct simhash_error *error)
{
	struct file_row row = {.host = asking->finder->local_host};

	if (name_row(path, is_inflated, &queried->arena, &row, error) != 0)
		return -1;
	if ((is_inflated && row.name.size == 0) || !scan_row(asking, path, is_inflated, &row))
		return 0;
	queried->sketches = row.sketches;
	queried->keys = row.keys;
	if (path != NULL) {
		uint8_t directory[DIRECTORY_HASH_SIZE];
		directory_hash(row.directory, directory);
		path_hash(directory, row.name, row.path_hash);
	}
	if (finder_convert(asking->finder, &row, &queried->file, error) != 0)
		return -1;
	if (row.name.size == 0)
		row.name = (struct bytes){"-", 1};
	queried->file.is_stream = path == NULL;
	queried->file.is_local = true;
	return finder_show(asking->finder, &row, &queried->arena, &queried->file, error) != 0 ? -1
											      : 1;
}

/* Take over a requested file. If many are waiting, report the files similar to them. */
static int take_asked(struct asking *asking, struct queried_file *queried, bool is_named,
		      struct simhash_error *error)
{
	const struct find_sink *sink = asking->finder->sink;

	if (!queried->is_text && sink->asked != NULL &&
	    sink->asked(sink->context, &queried->file, is_named, error) != 0)
		return -1;
	if (asking->finder->request->measure != NULL) {
		if (sketch_pass_add(&asking->pass, queried, error) != 0)
			return -1;
		return sketch_pass_is_full(&asking->pass) ? report_sketched(asking, error) : 0;
	}
	if (queried_batch_add(&asking->batch, queried, error) != 0)
		return -1;
	return queried_batch_is_full(&asking->batch) ? search_batch(asking, error) : 0;
}

/* ---- The texts of documents ---- */

/* Find the text of a document in an open file. Returns 1, or 0 if it has none. */
static bool find_text(struct asking *asking, const char *path, int fd, const struct stat *file,
		      struct file_row *row)
{
	struct container *container =
		container_open(&asking->scanner, fd, file, bytes_of(path_name(path)));
	enum container_answer answer;
	bool is_found = false;

	while (container != NULL && !is_found &&
	       (answer = container_next(container, row)) != CONTAINER_END)
		is_found = answer == CONTAINER_MEMBER && row_is_text(row->contents);
	container_close(container);
	return is_found;
}

/* The same for a path. If anything fails, the file is compared as it is. */
static bool scan_text(struct asking *asking, const char *path, struct file_row *row)
{
	int fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	unsigned kinds = asking->scanner.containers, kind = 0;
	struct stat file;
	bool is_found;

	asking->scanner.containers = asking->known_kinds & CONTAINER_TEXT;
	is_found = fd >= 0 && asking->scanner.containers != 0 && fstat(fd, &file) == 0 &&
		   S_ISREG(file.st_mode) && scan_kind(&asking->scanner, fd, &kind, NULL) == 0 &&
		   kind != 0 && find_text(asking, path, fd, &file, row);
	asking->scanner.containers = kinds;
	if (fd >= 0)
		close_content(fd);
	return is_found;
}

/* Make a request for the text of the document `whole` from a row with the text. */
static int make_text(struct asking *asking, const struct find_file *whole, struct file_row *row,
		     struct queried_file *text, struct simhash_error *error)
{
	row->host = asking->finder->local_host;
	row->contents = 0;
	row->mtime_ns = whole->mtime_ns;
	row->device = whole->device;
	row->inode = whole->inode;
	row_compute_keys(row, asking->finder->request->tags);
	memcpy(row->path_hash, whole->path_hash, PATH_HASH_SIZE);
	memcpy(row->content_hash, whole->content_hash, CONTENT_HASH_SIZE);
	text->keys = row->keys;
	text->is_text = asking->finder->request->nearest == 0;
	if (finder_read(asking->finder, row, &text->arena, &text->file, error) != 0)
		return -1;
	text->file.document_bytes = whole->size_bytes;
	text->file.is_local = true;
	return 0;
}

/* Search for the text of a document, besides files that are identical to the document. */
static int ask_for_text(struct asking *asking, const char *path, struct file_row *row,
			struct queried_file *whole, struct simhash_error *error)
{
	struct queried_file text = {.sketches = row->sketches};

	whole->file.lacks_text = true;
	if (name_row(path, false, &text.arena, row, error) != 0 ||
	    make_text(asking, &whole->file, row, &text, error) != 0) {
		queried_file_release(&text);
		return -1;
	}
	return take_asked(asking, &text, true, error);
}

static bool searches_parts(const struct asking *asking)
{
	const struct find_request *request = asking->finder->request;

	return request->measure == NULL && verify_proposes(&request->rule.verify);
}

/* Returns 1, or 0 if the file cannot be read. */
static int ask_for(struct asking *asking, const char *path, bool is_inflated,
		   struct simhash_error *error)
{
	bool uses_texts = finder_uses_texts(asking->finder) && path != NULL && !is_inflated;
	struct queried_file queried = {.sketches = NULL};
	struct file_row row = {.host = 0};
	int status = scan_asked(asking, path, is_inflated, &queried, error);

	if (status == 1 && uses_texts && scan_text(asking, path, &row))
		status = ask_for_text(asking, path, &row, &queried, error) == 0 ? 1 : -1;
	if (status == 1 && path != NULL && !is_inflated && searches_parts(asking) &&
	    file_other_pieces(path, resemblance_is_text(&queried.file.sketch), &asked_levels,
			      &queried.arena, &queried.other_pieces, error) != 0)
		status = -1;
	/* The nearest files are found by the text alone. */
	if (status == 1 && (!queried.file.lacks_text || asking->finder->request->nearest == 0))
		return take_asked(asking, &queried, !is_inflated, error) == 0 ? 1 : -1;
	queried_file_release(&queried);
	return status;
}

/* ---- The members of archives ---- */

/* Search for the archive member of a row. */
static int ask_for_member(struct asking *asking, const char *path, struct file_row *row,
			  struct simhash_error *error)
{
	struct queried_file queried = {.sketches = row->sketches, .keys = row->keys};
	size_t size = strlen(path);
	char *names = arena_take(&queried.arena, size + 1 + row->name.size);
	uint8_t directory[DIRECTORY_HASH_SIZE];
	int64_t document_bytes = 0;
	int status = -1;

	if (names == NULL) {
		queried_file_release(&queried);
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
	queried.is_text = row_is_text(row->contents);
	if (queried.is_text)
		text_row_as_document(row, &document_bytes);
	if (finder_read(asking->finder, row, &queried.arena, &queried.file, error) == 0) {
		queried.file.is_local = true;
		queried.file.document_bytes = document_bytes;
		queried.file.lacks_text = finder_uses_texts(asking->finder) && !queried.is_text &&
					  document_is_one(inner_name(row->name), bytes_of(""));
		status = take_asked(asking, &queried, false, error);
	} else {
		queried_file_release(&queried);
	}
	return status;
}

/* Call it after a failure that set errno. */
static void report_unread(struct asking *asking, const char *path)
{
	const struct find_sink *sink = asking->finder->sink;

	sink->unreadable(sink->context, bytes_of(path), errno);
}

static void report_trouble(struct asking *asking, const char *path,
			   const struct container *container)
{
	const struct find_sink *sink = asking->finder->sink;
	struct bytes member = container_name(container);
	struct bytes about = bytes_of(path);
	size_t size = strlen(path);
	char *whole;

	if (member.size == 0 && container_why(container) == asking->told)
		return;
	whole = malloc(size + 2 + member.size);
	if (whole != NULL && member.size > 0) {
		memcpy(whole, path, size);
		memcpy(whole + size, "//", 2);
		memcpy(whole + size + 2, member.data, member.size);
		about = (struct bytes){whole, size + 2 + member.size};
	}
	sink->unreadable(sink->context, about, container_why(container));
	free(whole);
}

/* The text of the file itself was already requested. */
static bool is_text_of_file(const struct file_row *row)
{
	return row_is_text(row->contents) && inner_name(row->name).size == row->name.size;
}

/* Search for all members of an open file. */
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

	if (container == NULL && errno == ENOMEM)
		return error_set_memory(error);
	if (container == NULL)
		report_unread(asking, path);
	while (container != NULL && status == 0 &&
	       (answer = container_next(container, &row)) != CONTAINER_END)
		if (answer == CONTAINER_MEMBER && is_text_of_file(&row))
			row_sketches_drop(row.sketches);
		else if (answer == CONTAINER_MEMBER)
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
	unsigned kind = 0;

	if (fd < 0 || fstat(fd, &file) != 0 ||
	    (S_ISREG(file.st_mode) && scan_kind(&asking->scanner, fd, &kind, NULL) != 0))
		report_unread(asking, path);
	else if (kind != 0)
		status = ask_for_contents(asking, path, fd, &file, error);
	if (fd >= 0)
		close_content(fd);
	return status;
}

/* ---- Members by their paths in lists ---- */

/* Read the pieces of a member, if the index has them. */
static int read_pieces(const struct finder *finder, struct piece_row *pieces,
		       struct queried_file *queried, struct simhash_error *error)
{
	struct query query;
	int status = piece_rows_find(&query, finder->store, finder->tag_set, pieces, error);

	if (status != 1)
		return status;
	queried->sketches = row_sketches_new(pieces->value.size);
	if (queried->sketches != NULL) {
		memcpy(queried->sketches->bytes, pieces->value.data, pieces->value.size);
		queried->sketches->pieces =
			(struct bytes){(const char *)queried->sketches->bytes, pieces->value.size};
	}
	piece_rows_end(&query);
	return queried->sketches == NULL ? error_set_memory(error) : 0;
}

/* Read the row of a member. Returns 1, or 0 if the index does not have it. */
static int read_member(struct asking *asking, const char *path, struct queried_file *queried,
		       struct simhash_error *error)
{
	const struct finder *finder = asking->finder;
	const struct row_scope scope = {.tag_set = finder->tag_set, .host = finder->local_host};
	const char *name = member_separator(path) + 2;
	struct file_row row = {.host = finder->local_host};
	uint8_t directory[DIRECTORY_HASH_SIZE], hashes[1][PATH_HASH_SIZE];
	struct row_cursor cursor = {.columns = 0};
	struct piece_row pieces;
	int status;

	directory_hash((struct bytes){path, (size_t)(name - 1 - path)}, directory);
	path_hash(directory, bytes_of(name), hashes[0]);
	if (store_rows_with(&cursor, finder->store, FINDING_COLUMNS | ROW_KEYS | ROW_RESEMBLANCE,
			    &scope, (const uint8_t(*)[PATH_HASH_SIZE])hashes, 1, error) != 0)
		return -1;
	status = store_rows_next(&cursor, &row, error);
	queried->keys = row.keys;
	piece_row_of(&row, &pieces);
	if (status == 1 && finder_read(finder, &row, &queried->arena, &queried->file, error) != 0)
		status = -1;
	store_rows_end(&cursor);
	return status == 1 && read_pieces(finder, &pieces, queried, error) != 0 ? -1 : status;
}

/* Search for a member that is in the index. Its sketches by another measure are not read. */
static int ask_for_known(struct asking *asking, const char *path, struct simhash_error *error)
{
	const struct finder *finder = asking->finder;
	struct queried_file queried = {.sketches = NULL};
	int status = finder->request->measure != NULL || finder->tag_set == 0
			     ? 0
			     : read_member(asking, path, &queried, error);

	if (status == 1)
		return take_asked(asking, &queried, true, error);
	queried_file_release(&queried);
	if (status == 0)
		finder->sink->unreadable(finder->sink->context, bytes_of(path), ENOENT);
	return status;
}

/* ---- Requested paths ---- */

/* The content of a gzip file has its own name. */
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
			: queried_report_note(&asking->report, inner);
	free(inner);
	return added;
}

/*
 * Resolve a path and note that it is requested. *resolved stays NULL if the path was requested
 * before, or if there is no such file, which is reported.
 */
static int resolve(struct asking *asking, const char *path, char **resolved,
		   struct simhash_error *error)
{
	const struct finder *finder = asking->finder;
	char *found = realpath(path, NULL);
	int added;

	if (found == NULL && errno != EACCES && member_separator(path) != NULL)
		found = member_resolve(path);
	if (found == NULL) {
		finder->sink->unreadable(finder->sink->context, bytes_of(path), errno);
		return 0;
	}
	added = queried_report_note(&asking->report, found);
	if (added >= 0 && finder->request->inflate && note_content(asking, found) < 0)
		added = -1;
	if (added == 1)
		*resolved = found;
	else
		free(found);
	return added < 0 ? error_set_memory(error) : 0;
}

/*
 * Search for a file, or for standard input if `path` is NULL, and for its content or members if the
 * request includes them.
 */
static int ask_for_path(struct asking *asking, const char *path, struct simhash_error *error)
{
	int status;

	if (path != NULL && member_separator(path) != NULL)
		return ask_for_known(asking, path, error);
	status = ask_for(asking, path, false, error);
	if (status == 1 && path != NULL && asking->finder->request->inflate)
		status = ask_for(asking, path, true, error) < 0
				 ? -1
				 : ask_for_members(asking, path, error);
	return status < 0 ? -1 : 0;
}

static int ask_for_all(struct asking *asking, const char *const *paths, size_t count,
		       struct simhash_error *error)
{
	char **resolved = calloc(count + 1, sizeof *resolved);
	int status = resolved == NULL ? error_set_memory(error) : 0;

	/* All paths must be known before the first pair is reported. */
	for (size_t i = 0; status == 0 && i < count; i++)
		if (paths[i] != NULL)
			status = resolve(asking, paths[i], &resolved[i], error);
	for (size_t i = 0; status == 0 && i < count; i++)
		if (paths[i] == NULL || resolved[i] != NULL)
			status = ask_for_path(asking, resolved[i], error);
	if (status == 0)
		status = report_sketched(asking, error);
	if (status == 0)
		status = search_batch(asking, error);
	for (size_t i = 0; resolved != NULL && i < count; i++)
		free(resolved[i]);
	free(resolved);
	return status;
}

int finder_files(struct finder *finder, const char *const *paths, size_t count,
		 struct simhash_error *error)
{
	static const atomic_bool never_stop;
	const struct find_request *request = finder->request;
	struct asking asking = {.finder = finder, .report = {.reporter = {.finder = finder}}};
	int status = -1;

	if (file_scanner_init(&asking.scanner, request->tags, true, &never_stop, error) != 0)
		return -1;
	if (verify_proposes(&request->rule.verify))
		file_scanner_collect(&asking.scanner, asked_levels);
	asking.scanner.max_inflated_bytes = request->max_inflated_bytes;
	asking.scanner.max_depth = CONTAINER_DEPTH;
	queried_batch_init(&asking.batch, finder, &asking.report);
	if (container_kinds(&asking.known_kinds, error) == 0 &&
	    (request->measure == NULL ||
	     file_scanner_measure(&asking.scanner, &request->measure, 1, 0, error) == 0) &&
	    (request->sandbox == NULL ||
	     sandbox_isolate(&asking.scanner, request->sandbox, error) == 0) &&
	    sketch_pass_init(&asking.pass, finder, error) == 0) {
		asking.scanner.containers = request->inflate ? asking.known_kinds : 0;
		status = ask_for_all(&asking, paths, count, error);
	}
	asking.report.reporter.counts.rows += asking.pass.rows;
	find_counts_add(&finder->counts, &asking.report.reporter.counts);
	queried_batch_release(&asking.batch);
	sketch_pass_release(&asking.pass);
	queried_report_release(&asking.report);
	file_scanner_release(&asking.scanner);
	return status;
}

int finder_content(struct finder *finder, const struct find_content *content,
		   struct simhash_error *error)
{
	struct queried_report report = {.reporter = {.finder = finder}};
	struct queried_batch batch;
	struct queried_file queried = {.sketches = NULL};
	struct file_row row = {.host = finder->local_host,
			       .directory = {"", 0},
			       .name = bytes_of(content->name),
			       .size_bytes = content->size_bytes,
			       .table = content->table};
	int status = -1;

	if (finder->tag_set == 0)
		return 0;
	simhash_keys_compute(finder->request->tags, &row.table, row.name.data, row.name.size,
			     &row.keys);
	queried.keys = row.keys;
	queried_batch_init(&batch, finder, &report);
	if (finder_read(finder, &row, &queried.arena, &queried.file, error) == 0) {
		queried.file.is_stream = queried.file.is_local = true;
		if (queried_batch_add(&batch, &queried, error) == 0)
			status = queried_batch_search(&batch, error);
	} else {
		queried_file_release(&queried);
	}
	find_counts_add(&finder->counts, &report.reporter.counts);
	queried_batch_release(&batch);
	queried_report_release(&report);
	return status;
}
