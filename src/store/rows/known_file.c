/*
 * Queries the rows of files and directories that a walk compares.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/known_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/shell_word.h"
#include "store/open/query.h"
#include "store/row/trust.h"

static bool lacks_filter(const struct store *store, const struct known_file *known)
{
	uint32_t wanted = store->wanted_filter == NULL
				  ? 0
				  : store->wanted_filter(store->filters, known->name);

	return wanted != 0 && wanted != contents_filter(known->contents);
}

enum {
	KNOWN_COLUMNS = ROW_PATH_HASH | ROW_SIZE | ROW_MTIME | ROW_SCANNED_AT | ROW_NAME |
			ROW_COMPRESSED_SIZE | ROW_LINKS | ROW_INODE | ROW_CONTENTS
};

/* The columns after these. With measures, the number of sketches of the row's current content. */
enum { LACKS_RESEMBLANCE, MEMBERS_CONTENT_HASH, SKETCHES };
#define CONTENT_HASH_COLUMNS                                                                      \
	", f.resemblance_sketch IS NULL%s, CASE WHEN f.contents & %lld <> 0 THEN f.content_hash " \
	"END"
#define SKETCHES_COLUMN                                                                       \
	", (SELECT COUNT(*) FROM sketch s WHERE s.tag_set = f.tag_set AND s.host = f.host "   \
	"AND s.path_hash = f.path_hash AND s.content_hash = f.content_hash AND s.measure IN " \
	"(?%.*s))"

static int begin_cursor(struct row_cursor *cursor, struct store *store, struct simhash_error *error)
{
	const long long has_members = CONTENTS_HAS_MEMBERS;
	const char *lacks_pieces = store->wants_pieces ? " OR (f.pieces = 0 AND f.size >= 2048)"
						       : "";

	if (store->measure_count == 0)
		return rows_begin(cursor, store, KNOWN_COLUMNS, KEPT_KNOWN_FILES, error,
				  CONTENT_HASH_COLUMNS ROWS_OF_RANGE, lacks_pieces, has_members);
	return rows_begin(cursor, store, KNOWN_COLUMNS, KEPT_KNOWN_FILES, error,
			  CONTENT_HASH_COLUMNS SKETCHES_COLUMN ROWS_OF_RANGE, lacks_pieces,
			  has_members, ROWS_MARKS(store->measure_count));
}

static void set_rest(struct row_cursor *cursor, const struct hash_range *rest)
{
	cursor->is_ordered = true;
	cursor->rest = *rest;
}

/* Run the statement for the remaining rows. */
static int run_files(struct known_files *files, struct simhash_error *error)
{
	const struct hash_range rest = files->cursor.rest;
	struct query *query = &files->cursor.query;
	struct store *store = files->store;
	int status = begin_cursor(&files->cursor, store, error);

	set_rest(&files->cursor, &rest);
	if (status != 0)
		return -1;
	for (unsigned i = 0; i < store->measure_count; i++)
		query_bind_integer(query, store->measures[i]);
	query_bind_scope(query, &files->scope);
	query_bind_range(query, &files->cursor.rest);
	return 0;
}

static int take_file(struct known_files *files, const struct file_row *row,
		     struct known_file *known, struct simhash_error *error)
{
	const struct store *store = files->store;
	struct query *query = &files->cursor.query;
	unsigned more = files->cursor.more;

	*known = (struct known_file){
		.size_bytes = row->size_bytes,
		.mtime_ns = row->mtime_ns,
		.scanned_at_ns = row->scanned_at_ns,
		.name = row->name,
		.compressed_size_bytes = row->compressed_size_bytes,
		.links = row->links,
		.inode = row->inode,
		.lacks_resemblance = query_integer(query, more + LACKS_RESEMBLANCE) != 0,
		.contents = row->contents,
		.has_members = (row->contents & CONTENTS_HAS_MEMBERS) != 0,
		.has_content_hash = !query_is_null(query, more + MEMBERS_CONTENT_HASH),
		.is_settled = mtime_shows_changes(row->mtime_ns, row->scanned_at_ns),
		.lacks_sketches = store->measure_count > 0 &&
				  query_integer(query, more + SKETCHES) <
					  (int64_t)store->measure_count,
	};
	known->lacks_look =
		known->compressed_size_bytes == 0 &&
		((store->containers & ~known->contents) != 0 || lacks_filter(store, known));
	memcpy(known->path_hash, row->path_hash, PATH_HASH_SIZE);
	return known->has_content_hash
		       ? query_fixed_bytes(query, more + MEMBERS_CONTENT_HASH, known->content_hash,
					   CONTENT_HASH_SIZE, error)
		       : 0;
}

static int next_file(struct known_files *files, struct known_file *known,
		     struct simhash_error *error)
{
	struct row_cursor *cursor = &files->cursor;
	struct file_row row;
	int status;

	if (cursor->query.statement == NULL && run_files(files, error) != 0)
		return -1;
	status = store_rows_next(cursor, &row, error);
	if (status != 1)
		return status;
	if (take_file(files, &row, known, error) != 0)
		return -1;
	files->is_over = !hash_range_step(cursor->rest.low);
	return 1;
}

static void begin_files(struct known_files *files, struct store *store,
			const struct row_scope *scope, const struct hash_range *range)
{
	*files = (struct known_files){.store = store, .scope = *scope};
	set_rest(&files->cursor, range);
}

int known_files_begin_range(struct known_files *files, struct store *store,
			    const struct row_scope *scope, const struct hash_range *range,
			    struct simhash_error *error)
{
	begin_files(files, store, scope, range);
	while (run_files(files, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	return 0;
}

int known_files_begin(struct known_files *files, struct store *store, const struct row_scope *scope,
		      const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		      struct simhash_error *error)
{
	const struct hash_range range = hash_range_of_directory(directory_hash);

	return known_files_begin_range(files, store, scope, &range, error);
}

int known_files_next(struct known_files *files, struct known_file *known,
		     struct simhash_error *error)
{
	int status;

	if (files->is_over)
		return 0;
	while ((status = next_file(files, known, error)) < 0) {
		known_files_end(files);
		if (store_recover(files->store, error) != 0)
			return -1;
	}
	if (status == 0)
		store_went_well(files->store);
	return status;
}

void known_files_end(struct known_files *files)
{
	store_rows_end(&files->cursor);
}

/* Get the first row in a range. */
static int find_known(struct store *store, const struct row_scope *scope,
		      const struct hash_range *range, struct known_file *known, bool *found,
		      struct simhash_error *error)
{
	struct known_files files;
	int status;

	begin_files(&files, store, scope, range);
	status = known_files_next(&files, known, error);
	known_files_end(&files);
	*found = status == 1;
	if (status == 1)
		store_went_well(store);
	return status < 0 ? -1 : 0;
}

int store_find_file(struct store *store, const struct row_scope *scope,
		    const uint8_t path_hash[PATH_HASH_SIZE], struct known_file *known, bool *found,
		    struct simhash_error *error)
{
	const struct hash_range range = hash_range_of_file(path_hash);
	int status = find_known(store, scope, &range, known, found, error);

	known->name = (struct bytes){"", 0};
	return status;
}

static int find_content(struct store *store, const struct row_scope *scope,
			const uint8_t path_hash[PATH_HASH_SIZE], struct known_content *known,
			bool *found, struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor;
	int status = rows_begin(&cursor, store,
				ROW_SIZE | ROW_MTIME | ROW_CONTENT_HASH | ROW_SCANNED_AT |
					ROW_VERIFIED_AT | ROW_STATUS_TIME,
				KEPT_KNOWN_CONTENT, error, ROWS_OF_SCOPE "AND f.path_hash = ?");

	if (status != 0)
		return -1;
	query_bind_scope(&cursor.query, scope);
	query_bind_data(&cursor.query, path_hash, PATH_HASH_SIZE);
	status = store_rows_next(&cursor, &row, error);
	store_rows_end(&cursor);
	*found = status == 1;
	*known = (struct known_content){.size_bytes = row.size_bytes,
					.mtime_ns = row.mtime_ns,
					.changed_ns = row.changed_ns,
					.verified_at_ns = row.verified_at_ns > row.scanned_at_ns
								  ? row.verified_at_ns
								  : row.scanned_at_ns};
	memcpy(known->hash, row.content_hash, CONTENT_HASH_SIZE);
	return status < 0 ? -1 : 0;
}

int store_find_content(struct store *store, const struct row_scope *scope,
		       const uint8_t path_hash[PATH_HASH_SIZE], struct known_content *known,
		       bool *found, struct simhash_error *error)
{
	while (find_content(store, scope, path_hash, known, found, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	store_went_well(store);
	return 0;
}

/* ---- Directories ---- */

static void end_directories(struct known_directories *directories)
{
	struct query query = query_of(directories->store, directories->statement);

	query_end(&query);
	directories->statement = NULL;
}

static int run_directories(struct known_directories *directories, struct simhash_error *error)
{
	bool is_sample = directories->low == NULL;
	struct query query;

	if (query_begin_format(&query, directories->store, error,
			       "SELECT directory_hash, path FROM directory "
			       "WHERE tag_set = ? AND host = ? %s",
			       is_sample ? "ORDER BY directory_hash LIMIT ?"
					 : "AND path > ? AND path < ?") != 0)
		return -1;
	query_bind_scope(&query, &directories->scope);
	if (is_sample) {
		query_bind_integer(&query, KNOWN_SAMPLE);
	} else {
		query_bind_data(&query, directories->low, directories->size);
		query_bind_data(&query, directories->high, directories->size);
	}
	directories->statement = query.statement;
	return 0;
}

static int begin_directories(struct known_directories *directories, struct simhash_error *error)
{
	while (run_directories(directories, error) != 0)
		if (store_recover(directories->store, error) != 0)
			return -1;
	return 0;
}

int known_directories_begin(struct known_directories *directories, struct store *store,
			    const struct row_scope *scope, struct bytes root,
			    struct simhash_error *error)
{
	bool is_top = root.size == 1; /* "/" already ends in a slash */
	size_t size = root.size + (is_top ? 0 : 1);

	*directories = (struct known_directories){.store = store, .scope = *scope, .size = size};
	directories->low = malloc(size);
	directories->high = malloc(size);
	if (directories->low == NULL || directories->high == NULL)
		return error_set_memory(error);
	/* All paths p with low < p < low with its last '/' replaced by the next byte, '0'. */
	memcpy(directories->low, root.data, root.size);
	directories->low[size - 1] = '/';
	memcpy(directories->high, directories->low, size);
	directories->high[size - 1] = '/' + 1;
	return begin_directories(directories, error);
}

int known_directories_begin_sample(struct known_directories *directories, struct store *store,
				   const struct row_scope *scope, struct simhash_error *error)
{
	*directories = (struct known_directories){.store = store, .scope = *scope};
	return begin_directories(directories, error);
}

static int next_directory(struct known_directories *directories, struct known_directory *known,
			  struct simhash_error *error)
{
	struct query query;
	int status;

	if (directories->statement == NULL && run_directories(directories, error) != 0)
		return -1;
	query = query_of(directories->store, directories->statement);
	status = query_next(&query, error);
	if (status != 1)
		return status;
	known->path = query_bytes(&query, 1);
	return query_fixed_bytes(&query, 0, known->hash, sizeof known->hash, error) != 0 ? -1 : 1;
}

int known_directories_next(struct known_directories *directories, struct known_directory *known,
			   struct simhash_error *error)
{
	int status;

	while ((status = next_directory(directories, known, error)) < 0) {
		end_directories(directories);
		if (store_recover(directories->store, error) != 0)
			return -1;
	}
	if (status == 0)
		store_went_well(directories->store);
	return status;
}

void known_directories_end(struct known_directories *directories)
{
	end_directories(directories);
	free(directories->low);
	free(directories->high);
	directories->low = directories->high = NULL;
}

unsigned store_question_cost(const struct store *store)
{
	return store->driver->question_cost;
}

/* ---- Are there any rows? ---- */

static int has_rows_once(struct store *store, const struct row_scope *scope, bool *has_rows,
			 struct simhash_error *error)
{
	struct query query;
	int64_t one;
	int status;

	if (query_begin(&query, store,
			"SELECT 1 FROM directory WHERE tag_set = ? AND host = ? LIMIT 1",
			error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	status = query_first(&query, &one, error);
	*has_rows = status == 1;
	return status < 0 ? -1 : 0;
}

int store_has_rows(struct store *store, const struct row_scope *scope, bool *has_rows,
		   struct simhash_error *error)
{
	while (has_rows_once(store, scope, has_rows, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	return 0;
}

static int has_file(struct store *store, const struct row_scope *scope, struct bytes directory,
		    struct bytes name, bool *has_rows, struct simhash_error *error)
{
	uint8_t directory_bytes[DIRECTORY_HASH_SIZE], hash[PATH_HASH_SIZE];
	struct known_file known;

	directory_hash(directory, directory_bytes);
	path_hash(directory_bytes, name, hash);
	return store_find_file(store, scope, hash, &known, has_rows, error);
}

/* Are there members of an archive at or below this path? */
static int has_members(struct store *store, const struct row_scope *scope, struct bytes path,
		       bool *has_rows, struct simhash_error *error)
{
	const struct bytes archive = {path.data, outer_path_size(path) + 1};
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct known_files files;
	struct known_file known;
	int status;

	*has_rows = false;
	directory_hash(archive, hash);
	if (known_files_begin(&files, store, scope, hash, error) != 0)
		return -1;
	while (!*has_rows && (status = known_files_next(&files, &known, error)) == 1)
		*has_rows = row_is_below(archive, known.name, path);
	known_files_end(&files);
	return status < 0 ? -1 : 0;
}

/* The same, or is the path the inflated content of a file? */
static int has_rows_inside(struct store *store, const struct row_scope *scope, const char *path,
			   bool *has_rows, struct simhash_error *error)
{
	char *outer = strndup(path, outer_path_size(bytes_of(path)));
	int status;

	if (outer == NULL)
		return error_set_memory(error);
	status = has_members(store, scope, bytes_of(path), has_rows, error);
	if (status == 0 && !*has_rows)
		status = has_file(store, scope, path_directory(outer),
				  bytes_of(path + (path_name(outer) - outer)), has_rows, error);
	free(outer);
	return status;
}

/* Does a directory have files? */
static int has_files_in(struct store *store, const struct row_scope *scope, struct bytes directory,
			bool *has_rows, struct simhash_error *error)
{
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct hash_range range;
	struct known_file known;

	directory_hash(directory, hash);
	range = hash_range_of_directory(hash);
	return find_known(store, scope, &range, &known, has_rows, error);
}

/* Does a file have members or inflated content? */
static int has_contents(struct store *store, const struct row_scope *scope, const char *path,
			bool *has_rows, struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	size_t size = strlen(path);
	char *inside = malloc(size + 2 * name.size + 8);
	int status;

	if (inside == NULL)
		return error_set_memory(error);
	memcpy(inside, path, size);
	inside[size++] = '/';
	status = has_files_in(store, scope, (struct bytes){inside, size}, has_rows, error);
	if (status == 0 && !*has_rows && (size = inflated_name(name, inside)) > 0)
		status = has_file(store, scope, path_directory(path), (struct bytes){inside, size},
				  has_rows, error);
	free(inside);
	return status;
}

static int has_files_below(struct store *store, const struct row_scope *scope, struct bytes path,
			   bool *has_rows, struct simhash_error *error)
{
	struct bytes top = path.size == 0 ? (struct bytes){"/", 1} : path;
	struct known_directories directories;
	struct known_directory directory;
	int status;

	if (has_files_in(store, scope, top, has_rows, error) != 0)
		return -1;
	if (*has_rows)
		return 0;
	status = known_directories_begin(&directories, store, scope, top, error);
	if (status == 0)
		status = known_directories_next(&directories, &directory, error);
	known_directories_end(&directories);
	*has_rows = status == 1;
	return status < 0 ? -1 : 0;
}

int store_has_rows_below(struct store *store, const struct row_scope *scope, struct bytes path,
			 bool *has_rows, struct simhash_error *error)
{
	char *text = strndup(path.data, path.size);
	int status;

	if (text == NULL)
		return error_set_memory(error);
	status = is_inside_path(path) ? has_rows_inside(store, scope, text, has_rows, error)
				      : has_files_below(store, scope, path, has_rows, error);
	if (status == 0 && !*has_rows && !is_inside_path(path) && path.size > 0)
		status = has_contents(store, scope, text, has_rows, error);
	free(text);
	return status;
}

int store_has_rows_at(struct store *store, const struct row_scope *scope, const char *path,
		      bool *has_rows, struct simhash_error *error)
{
	if (has_file(store, scope, path_directory(path), bytes_of(path_name(path)), has_rows,
		     error) != 0)
		return -1;
	return *has_rows ? 0 : store_has_rows_below(store, scope, bytes_of(path), has_rows, error);
}

int store_say_not_indexed(struct bytes path, struct simhash_error *error)
{
	const struct bytes named = path.size == 0 ? bytes_of("/") : path;
	const struct bytes outer = {named.data, outer_path_size(named)};
	char *own = strndup(outer.data, outer.size), *advice = NULL;
	size_t size;
	FILE *out = own == NULL ? NULL : open_memstream(&advice, &size);
	struct stat status;

	if (out == NULL) {
		free(own);
		return error_set_memory(error);
	}
	if (stat(own, &status) == 0) {
		bool is_archive = !S_ISDIR(status.st_mode);
		fprintf(out, "; %s: simhash %s",
			is_archive ? "to index the members of archives" : "index it first",
			is_archive ? "-z " : "");
		write_command_word(out, outer);
	} else {
		fprintf(out, ", which cannot be read: %s", strerror(errno));
	}
	free(own);
	if (close_text(out, &advice) != 0)
		return error_set_memory(error);
	error_set(error, SIMHASH_E_RANGE, "the index has no files at or below %.*s%s",
		  (int)named.size, named.data, advice);
	free(advice);
	return -1;
}
