/*
 * Writes the tables `file` and `directory`, and removes rows of vanished files.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "store/open/transaction.h"
#include "store/rows/piece_rows.h"
#include "store/rows/row_reader.h"
#include "store/rows/sketch_rows.h"
#include "store/rows/upsert.h"
#include "store/write/answer_rows.h"
#include "store/write/damage_table.h"
#include "store/write/find_run.h"
#include "store/write/left_contents.h"

static const struct upsert file_upsert = {
	.table = "file",
	.key = "tag_set, host, path_hash",
	.key_count = 3,
	.columns = row_columns + KEY_COLUMNS,
	.column_count = FILE_COLUMNS,
	.one = KEPT_UPSERT_ONE,
	.many = KEPT_UPSERT_MANY,
};

static const char *const directory_columns[] = {"path"};
static const struct upsert directory_upsert = {
	.table = "directory",
	.key = "tag_set, host, directory_hash",
	.key_count = 3,
	.columns = directory_columns,
	.column_count = 1,
	.one = KEPT_UPSERT_DIRECTORY,
	.many = KEPT_UPSERT_DIRECTORY,
};

void store_batch_append(struct store_batch *batch, struct directory_row *directories,
			const struct file_row *row)
{
	struct directory_row *directory = &directories[batch->directory_count];

	batch->directories = directories;
	if (batch->directory_count == 0 ||
	    memcmp(directory[-1].hash, row->path_hash, DIRECTORY_HASH_SIZE) != 0) {
		memcpy(directory->hash, row->path_hash, DIRECTORY_HASH_SIZE);
		directory->path = row->directory;
		batch->directory_count++;
	}
	batch->rows[batch->row_count++] = row;
}

size_t store_batch_rows(const struct store *store)
{
	return store->driver->rows_per_transaction;
}

static int too_large(const struct store *store, struct bytes directory, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "cannot write a row: its path is too long for the server's "
			 "max_allowed_packet of %lld bytes: %.*s",
			 (long long)store->max_statement_bytes, (int)directory.size,
			 directory.data);
}

/* The maximum bytes of a row in a statement besides its paths, in the protocols of the engines. */
#define DIRECTORY_BYTES 64
#define ROW_BYTES                                                       \
	((3 + FILE_COLUMNS) * 12 + PATH_HASH_SIZE + CONTENT_HASH_SIZE + \
	 sizeof(struct simhash_resemblance_sketch))

/*
 * Return how many of the rows fit into one statement, at most `max`; 0 if the first does not fit.
 */
static size_t rows_that_fit(const struct store *store, const struct file_row *const *rows,
			    size_t max)
{
	int64_t room = store->max_statement_bytes;
	size_t count = 0;

	while (count < max) {
		const struct file_row *row = rows[count];
		int64_t size = (int64_t)(ROW_BYTES + row->directory.size + row->name.size +
					 row->extension.size);
		if (size > room)
			break;
		room -= size;
		count++;
	}
	return count;
}

static int write_rows(struct store *store, const struct row_scope *scope,
		      const struct file_row *const *rows, size_t count, struct simhash_error *error)
{
	size_t max = upsert_rows_max(store), done = 0;

	while (done < count) {
		size_t rest = count - done;
		size_t fitting = rows_that_fit(store, rows + done, rest < max ? rest : max);
		struct query query;
		if (fitting == 0)
			return too_large(store, rows[done]->directory, error);
		if (upsert_begin(&query, store, &file_upsert, &fitting, error) != 0)
			return -1;
		for (size_t i = 0; i < fitting; i++)
			row_columns_bind(&query, scope, rows[done++]);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

static int write_directories(struct store *store, const struct row_scope *scope,
			     const struct directory_row *rows, size_t count,
			     struct simhash_error *error)
{
	for (size_t i = 0; i < count; i++) {
		size_t one = 1;
		struct query query;
		if ((int64_t)rows[i].path.size > store->max_statement_bytes - DIRECTORY_BYTES)
			return too_large(store, rows[i].path, error);
		if (upsert_begin(&query, store, &directory_upsert, &one, error) != 0)
			return -1;
		query_bind_scope(&query, scope);
		query_bind_data(&query, rows[i].hash, DIRECTORY_HASH_SIZE);
		query_bind_bytes(&query, rows[i].path);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

/*
 * Add the number of rows in a range of path hashes to *rows. They are counted because Spider does
 * not report the number of removed rows.
 */
static int count_range(struct store *store, const struct row_scope *scope,
		       const struct hash_range *range, int64_t *rows, struct simhash_error *error)
{
	struct query query;
	int64_t count = 0;

	if (query_begin_kept(&query, store, KEPT_COUNT_FILES,
			     "SELECT COUNT(*) FROM file WHERE tag_set = ? AND host = ? "
			     "AND path_hash BETWEEN ? AND ?",
			     error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_range(&query, range);
	if (query_first(&query, &count, error) < 0)
		return -1;
	*rows += count;
	return 0;
}

/* Rows are removed: the current run of simfind --store, or 0, and the contents of the rows. */
struct removal {
	int64_t find_run;
	struct left_contents left;
};

/* Remove other data of files: their sketches, and the results of simfind --store. */
static int remove_rest(struct store *store, const struct row_scope *scope, struct removal *removal,
		       const struct hash_range *range, struct simhash_error *error)
{
	if (removal->find_run != 0 &&
	    answer_rows_remove(store, removal->find_run, scope->host, range, error) != 0)
		return -1;
	return sketch_rows_remove(store, scope, range, error);
}

static int remove_file(struct store *store, const struct row_scope *scope, struct removal *removal,
		       const uint8_t hash[PATH_HASH_SIZE], int64_t *removed,
		       struct simhash_error *error)
{
	const struct hash_range range = hash_range_of_file(hash);
	struct query query;

	if (left_contents_note(&removal->left, store, scope, &range, error) != 0 ||
	    count_range(store, scope, &range, removed, error) != 0 ||
	    query_begin_kept(&query, store, KEPT_REMOVE_FILE,
			     "DELETE FROM file WHERE tag_set = ? AND host = ? AND path_hash = ?",
			     error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_data(&query, hash, PATH_HASH_SIZE);
	if (query_run(&query, error) != 0)
		return -1;
	return remove_rest(store, scope, removal, &range, error);
}

static int remove_directory(struct store *store, const struct row_scope *scope,
			    struct removal *removal, const uint8_t hash[DIRECTORY_HASH_SIZE],
			    int64_t *removed, struct simhash_error *error)
{
	const struct hash_range range = hash_range_of_directory(hash);
	struct query query;

	if (left_contents_note(&removal->left, store, scope, &range, error) != 0 ||
	    count_range(store, scope, &range, removed, error) != 0 ||
	    query_begin_kept(&query, store, KEPT_REMOVE_DIRECTORY_FILES,
			     "DELETE FROM file WHERE tag_set = ? AND host = ? "
			     "AND path_hash BETWEEN ? AND ?",
			     error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_range(&query, &range);
	if (query_run(&query, error) != 0 ||
	    remove_rest(store, scope, removal, &range, error) != 0 ||
	    query_begin_kept(&query, store, KEPT_REMOVE_DIRECTORY,
			     "DELETE FROM directory WHERE tag_set = ? AND host = ? "
			     "AND directory_hash = ?",
			     error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_data(&query, hash, DIRECTORY_HASH_SIZE);
	return query_run(&query, error);
}

static int relink_file(struct store *store, const struct row_scope *scope,
		       const struct relinked_file *file, struct simhash_error *error)
{
	struct query query;

	if (query_begin_kept(&query, store, KEPT_RELINK_FILE,
			     "UPDATE file SET device = ?, inode = ?, links = ?, "
			     "contents = COALESCE(?, contents) "
			     "WHERE tag_set = ? AND host = ? AND path_hash = ?",
			     error) != 0)
		return -1;
	query_bind_integer(&query, file->device);
	query_bind_integer(&query, file->inode);
	query_bind_integer(&query, file->links);
	if (file->is_looked)
		query_bind_integer(&query, file->contents);
	else
		query_bind_null(&query);
	query_bind_scope(&query, scope);
	query_bind_data(&query, file->path_hash, PATH_HASH_SIZE);
	return query_run(&query, error);
}

static int remove_gone(struct store *store, const struct row_scope *scope,
		       const struct store_batch *batch, struct removal *removal, int64_t *removed,
		       struct simhash_error *error)
{
	int64_t ignored = 0;

	if (batch->removed_directory_count == 0 && batch->removed_file_count == 0 &&
	    batch->left_file_count == 0)
		return 0;
	if (find_run_current(store, scope->tag_set, &removal->find_run, error) != 0)
		return -1;
	for (size_t i = 0; i < batch->removed_directory_count; i++)
		if (remove_directory(store, scope, removal, batch->removed_directories[i], removed,
				     error) != 0)
			return -1;
	for (size_t i = 0; i < batch->removed_file_count; i++)
		if (remove_file(store, scope, removal, batch->removed_files[i], removed, error) !=
		    0)
			return -1;
	for (size_t i = 0; i < batch->left_file_count; i++)
		if (remove_file(store, scope, removal, batch->left_files[i], &ignored, error) != 0)
			return -1;
	return 0;
}

/* The number of rows of a directory in one query. */
#define RENEWED_ROWS 1024

/*
 * Find the first rows in a range that are not among the kept rows. The range then begins after the
 * last examined row; *is_over is true if no row is left.
 */
static int find_left_out(struct store *store, const struct row_scope *scope,
			 const struct renewed_directory *renewed, struct hash_range *range,
			 uint8_t (*gone)[PATH_HASH_SIZE], size_t *count, bool *is_over,
			 struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor;
	unsigned rows = 0;
	int status;

	*count = 0;
	if (rows_begin_range(&cursor, store, ROW_PATH_HASH, KEPT_READ_PATH_HASHES, scope, range,
			     RENEWED_ROWS, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		rows++;
		if (renewed->kept_count == 0 ||
		    bsearch(row.path_hash, renewed->kept, renewed->kept_count, PATH_HASH_SIZE,
			    compare_path_hashes) == NULL)
			memcpy(gone[(*count)++], row.path_hash, PATH_HASH_SIZE);
	}
	store_rows_end(&cursor);
	*range = cursor.rest;
	*is_over = rows < RENEWED_ROWS || !hash_range_step(range->low);
	return status;
}

static int remove_left_out(struct store *store, const struct row_scope *scope,
			   struct removal *removal, const struct renewed_directory *renewed,
			   int64_t *removed, struct simhash_error *error)
{
	struct hash_range range = hash_range_of_directory(renewed->hash);
	uint8_t(*gone)[PATH_HASH_SIZE] = malloc(RENEWED_ROWS * sizeof *gone);
	bool is_over = false;
	int status = gone == NULL ? error_set_memory(error) : 0;

	while (status == 0 && !is_over) {
		size_t count = 0;
		status =
			find_left_out(store, scope, renewed, &range, gone, &count, &is_over, error);
		for (size_t i = 0; status == 0 && i < count; i++)
			status = remove_file(store, scope, removal, gone[i], removed, error);
	}
	free(gone);
	return status;
}

static int remove_all_left_out(struct store *store, const struct row_scope *scope,
			       const struct store_batch *batch, struct removal *removal,
			       int64_t *removed, struct simhash_error *error)
{
	int status;

	if (batch->renewed_count == 0)
		return 0;
	status = find_run_current(store, scope->tag_set, &removal->find_run, error);
	for (size_t i = 0; status == 0 && i < batch->renewed_count; i++)
		status = remove_left_out(store, scope, removal, &batch->renewed[i], removed, error);
	return status;
}

static int write_changes(struct store *store, const struct row_scope *scope,
			 const struct store_batch *batch, struct removal *removal, int64_t *removed,
			 struct simhash_error *error)
{
	*removed = 0;
	if (remove_gone(store, scope, batch, removal, removed, error) != 0)
		return -1;
	for (size_t i = 0; i < batch->relinked_count; i++)
		if (relink_file(store, scope, &batch->relinked[i], error) != 0)
			return -1;
	if (write_directories(store, scope, batch->directories, batch->directory_count, error) !=
		    0 ||
	    left_contents_note_rows(&removal->left, store, scope, batch->rows, batch->row_count,
				    error) != 0 ||
	    write_rows(store, scope, batch->rows, batch->row_count, error) != 0 ||
	    remove_all_left_out(store, scope, batch, removal, removed, error) != 0 ||
	    damage_rows_write(store, scope, batch->damages, batch->damage_count, error) != 0 ||
	    left_contents_remove(&removal->left, store, scope, error) != 0 ||
	    piece_rows_write(store, scope->tag_set, batch->rows, batch->row_count, error) != 0)
		return -1;
	return sketch_rows_write(store, scope, batch->rows, batch->row_count, error);
}

/* The caller has begun a transaction. */
static int write_batch(struct store *store, const struct row_scope *scope,
		       const struct store_batch *batch, int64_t *removed,
		       struct simhash_error *error)
{
	struct removal removal = {.find_run = 0};
	int status = write_changes(store, scope, batch, &removal, removed, error);

	left_contents_release(&removal.left);
	return status;
}

/* Store the progress of the runs, for readers before the end and for interrupted runs. */
static int count_runs(struct store *store, const struct store_batch *batch,
		      struct simhash_error *error)
{
	for (size_t i = 0; i < batch->progress_count; i++) {
		const struct run_progress *progress = &batch->progress[i];
		struct query query;
		if (query_begin_kept(&query, store, KEPT_COUNT_RUN,
				     "UPDATE scan_run SET files = files + ?, bytes = bytes + ?, "
				     "errors = ? WHERE id = ?",
				     error) != 0)
			return -1;
		query_bind_integer(&query, progress->files);
		query_bind_integer(&query, progress->bytes);
		query_bind_integer(&query, progress->errors);
		query_bind_integer(&query, progress->run);
		if (query_run(&query, error) != 0)
			return -1;
	}
	return 0;
}

/*
 * This is the last statement of a transaction, because other writers that use the same row must
 * wait until the commit.
 */
static int count_commit(struct store *store, struct simhash_error *error)
{
	struct query query;

	if (!store->counts_commits)
		return 0;
	if (query_begin_kept(&query, store, KEPT_COUNT_COMMIT, store->driver->count_commit,
			     error) != 0)
		return -1;
	return query_run(&query, error);
}

static int compare_rows(const void *a, const void *b)
{
	const struct file_row *const *x = a, *const *y = b;

	return memcmp((*x)->path_hash, (*y)->path_hash, PATH_HASH_SIZE);
}

int store_write(struct store *store, const struct row_scope *scope, const struct store_batch *batch,
		int64_t *removed, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	if (batch->row_count > 0)
		qsort(batch->rows, batch->row_count, sizeof *batch->rows, compare_rows);
	while (transaction_next(&transaction, &status, error)) {
		status = write_batch(store, scope, batch, removed, error);
		if (status == 0)
			status = count_runs(store, batch, error);
		if (status == 0)
			status = count_commit(store, error);
	}
	return status;
}
