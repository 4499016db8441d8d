/*
 * The tables `file` and `directory`: what simhash writes and simfind reads.
 * The SQL here runs on every engine; leaves running it to the drivers.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_stream.h"
#include "store/bucket.h"
#include "store/connection.h"
#include "store/schema.h"

/* The columns of `file` in the order in which bind_row binds them. */
static const char *const value_columns[] = {
	"directory",   "name",	      "extension",	 "size",	 "mtime_ns",	  "device",
	"inode",       "links",	      "compressed_size", "content_hash", "scanned_at_ns", "sum_00",
	"sum_01",      "sum_02",      "sum_03",		 "sum_04",	 "sum_05",	  "sum_06",
	"sum_07",      "sum_08",      "sum_09",		 "sum_10",	 "sum_11",	  "sum_12",
	"sum_13",      "sum_14",      "sum_15",		 "uniform",	 "scatter",	  "skew",
	"uniform_ext", "scatter_ext", "skew_ext",	 "bucket",
};
#define VALUE_COLUMNS (sizeof value_columns / sizeof *value_columns)
#define ROW_COLUMNS (3 + VALUE_COLUMNS)

/* "ON CONFLICT(key) DO UPDATE SET a=excluded.a, ..." or its MySQL sister. */
static void write_upsert_tail(FILE *sql, const struct database_driver *driver, const char *key,
			      const char *const *columns, size_t count)
{
	if (driver->has_excluded)
		fprintf(sql, " ON CONFLICT(%s) DO UPDATE SET ", key);
	else
		fprintf(sql, " ON DUPLICATE KEY UPDATE ");
	for (size_t i = 0; i < count; i++)
		fprintf(sql, driver->has_excluded ? "%s%s=excluded.%s" : "%s%s=VALUES(%s)",
			i == 0 ? "" : ", ", columns[i], columns[i]);
}

static const struct upsert file_upsert = {"file", "tag_set, host, path_hash", 3, value_columns,
					  VALUE_COLUMNS};

int store_keep_upsert(struct store *store, enum kept_statement which, const struct upsert *upsert,
		      unsigned rows, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *sql;
	int status;

	if (store->kept[which] != NULL)
		return 0;
	sql = open_memstream(&text, &size);
	if (sql == NULL)
		return error_set_memory(error);
	fprintf(sql, "INSERT INTO %s(%s", upsert->table, upsert->key);
	for (size_t i = 0; i < upsert->count; i++)
		fprintf(sql, ", %s", upsert->columns[i]);
	fprintf(sql, ") VALUES ");
	for (unsigned row = 0; row < rows; row++) {
		fprintf(sql, row == 0 ? "(?" : ", (?");
		for (size_t i = 1; i < upsert->key_count + upsert->count; i++)
			fprintf(sql, ", ?");
		fprintf(sql, ")");
	}
	write_upsert_tail(sql, store->driver, upsert->key, upsert->columns, upsert->count);
	status = close_text(sql, &text) != 0 ? error_set_memory(error)
					     : store_keep(store, which, text, error);
	free(text);
	return status;
}

/* Bind one row's columns from parameter `first` on; returns the parameter after them. */
static unsigned bind_row(const struct database_driver *driver, struct statement *statement,
			 unsigned first, const struct row_scope *scope, const struct file_row *row)
{
	unsigned i = first;

	driver->bind_integer(statement, i++, scope->tag_set);
	driver->bind_integer(statement, i++, scope->host);
	driver->bind_bytes(statement, i++, row->path_hash, PATH_HASH_SIZE);
	driver->bind_bytes(statement, i++, row->directory.data, row->directory.size);
	driver->bind_bytes(statement, i++, row->name.data, row->name.size);
	driver->bind_bytes(statement, i++, row->extension.data, row->extension.size);
	driver->bind_integer(statement, i++, row->size_bytes);
	driver->bind_integer(statement, i++, row->mtime_ns);
	driver->bind_integer(statement, i++, row->device);
	driver->bind_integer(statement, i++, row->inode);
	driver->bind_integer(statement, i++, row->links);
	driver->bind_integer(statement, i++, row->compressed_size_bytes);
	driver->bind_bytes(statement, i++, row->content_hash, CONTENT_HASH_SIZE);
	driver->bind_integer(statement, i++, row->scanned_at_ns);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		driver->bind_integer(statement, i++, (int64_t)row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		driver->bind_integer(statement, i++, row->keys.key[k]);
	driver->bind_integer(statement, i++, bucket_of(row));
	return i;
}

int store_run_kept(struct store *store, enum kept_statement which, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement = store->kept[which];
	int status = driver->step(statement, error);

	driver->reset(statement);
	return status < 0 ? -1 : 0;
}

static int too_large(const struct store *store, struct bytes directory, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "a path is too long for the server's max_allowed_packet of %lld bytes: "
			 "%.*s",
			 (long long)store->max_statement_bytes, (int)directory.size,
			 directory.data);
}

/* No more than this of a row in a statement beside its paths, in the protocols of the engines. */
#define DIRECTORY_BYTES 64
#define ROW_BYTES (ROW_COLUMNS * 12 + PATH_HASH_SIZE + CONTENT_HASH_SIZE)

/* How many of the rows fit into one statement, at most `most`; 0 when the first does not. */
static size_t rows_that_fit(const struct store *store, const struct file_row *const *rows,
			    size_t most)
{
	int64_t room = store->max_statement_bytes;
	size_t count = 0;

	while (count < most) {
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

int store_keep_upsert_many(struct store *store, enum kept_statement which,
			   const struct upsert *upsert, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	unsigned array_rows = store->array_rows;
	bool is_new = store->kept[which] == NULL;

	if (store_keep_upsert(store, which, upsert, array_rows > 0 ? 1 : driver->rows_per_insert,
			      error) != 0)
		return -1;
	if (!is_new || array_rows == 0 ||
	    driver->set_rows(store->kept[which], array_rows, error) == 0)
		return 0;
	/* Kept as it is, it would be taken for one that takes arrays. */
	driver->finalize(store->kept[which]);
	store->kept[which] = NULL;
	return -1;
}

static int write_rows(struct store *store, const struct row_scope *scope,
		      const struct file_row *const *rows, size_t count, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	unsigned array_rows = store->array_rows;
	unsigned many = array_rows > 0 ? array_rows : driver->rows_per_insert;
	size_t done = 0;

	if (store_keep_upsert_many(store, KEPT_UPSERT_MANY, &file_upsert, error) != 0 ||
	    store_keep_upsert(store, KEPT_UPSERT_ONE, &file_upsert, 1, error) != 0)
		return -1;
	while (done < count) {
		size_t fitting = rows_that_fit(store, rows + done,
					       count - done < many ? count - done : many);
		bool at_once = fitting == many || (array_rows > 0 && fitting > 1);
		enum kept_statement which = at_once ? KEPT_UPSERT_MANY : KEPT_UPSERT_ONE;
		unsigned parameter = 0;
		if (fitting == 0)
			return too_large(store, rows[done]->directory, error);
		for (size_t i = 0; i < (at_once ? fitting : 1); i++)
			parameter = bind_row(driver, store->kept[which], parameter, scope,
					     rows[done++]);
		if (store_run_kept(store, which, error) != 0)
			return -1;
	}
	return 0;
}

static int write_directories(struct store *store, const struct row_scope *scope,
			     const struct directory_row *rows, size_t count,
			     struct simhash_error *error)
{
	static const char *const columns[] = {"path"};
	static const struct upsert upsert = {"directory", "tag_set, host, directory_hash", 3,
					     columns, 1};
	const struct database_driver *driver = store->driver;

	if (store_keep_upsert(store, KEPT_UPSERT_DIRECTORY, &upsert, 1, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct statement *statement = store->kept[KEPT_UPSERT_DIRECTORY];
		if ((int64_t)rows[i].path.size > store->max_statement_bytes - DIRECTORY_BYTES)
			return too_large(store, rows[i].path, error);
		driver->bind_integer(statement, 0, scope->tag_set);
		driver->bind_integer(statement, 1, scope->host);
		driver->bind_bytes(statement, 2, rows[i].hash, DIRECTORY_HASH_SIZE);
		driver->bind_bytes(statement, 3, rows[i].path.data, rows[i].path.size);
		if (store_run_kept(store, KEPT_UPSERT_DIRECTORY, error) != 0)
			return -1;
	}
	return 0;
}

void store_bind_hash_range(const struct database_driver *driver, struct statement *statement,
			   unsigned first, const struct row_scope *scope,
			   const struct hash_range *range)
{
	driver->bind_integer(statement, first, scope->tag_set);
	driver->bind_integer(statement, first + 1, scope->host);
	driver->bind_bytes(statement, first + 2, range->low, PATH_HASH_SIZE);
	driver->bind_bytes(statement, first + 3, range->high, PATH_HASH_SIZE);
}

/*
 * Add the rows in a range of path hashes to *rows. Counted, since Spider tells of none
 * that it removed.
 */
static int count_range(struct store *store, const struct row_scope *scope,
		       const struct hash_range *range, int64_t *rows, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (store_keep(store, KEPT_COUNT_FILES,
		       "SELECT COUNT(*) FROM file WHERE tag_set = ? AND host = ? "
		       "AND path_hash BETWEEN ? AND ?",
		       error) != 0)
		return -1;
	statement = store->kept[KEPT_COUNT_FILES];
	store_bind_hash_range(driver, statement, 0, scope, range);
	status = driver->step(statement, error);
	if (status == 1)
		*rows += driver->column_integer(statement, 0);
	driver->reset(statement);
	return status < 0 ? -1 : 0;
}

static int remove_files(struct store *store, const struct row_scope *scope,
			const uint8_t (*hashes)[PATH_HASH_SIZE], size_t count, int64_t *removed,
			struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (store_keep(store, KEPT_REMOVE_FILE,
		       "DELETE FROM file WHERE tag_set = ? AND host = ? AND path_hash = ?",
		       error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct statement *statement = store->kept[KEPT_REMOVE_FILE];
		struct hash_range range;
		memcpy(range.low, hashes[i], PATH_HASH_SIZE);
		memcpy(range.high, hashes[i], PATH_HASH_SIZE);
		if (count_range(store, scope, &range, removed, error) != 0)
			return -1;
		driver->bind_integer(statement, 0, scope->tag_set);
		driver->bind_integer(statement, 1, scope->host);
		driver->bind_bytes(statement, 2, hashes[i], PATH_HASH_SIZE);
		if (store_run_kept(store, KEPT_REMOVE_FILE, error) != 0 ||
		    store_remove_sketches(store, scope, &range, error) != 0)
			return -1;
	}
	return 0;
}

static int relink_files(struct store *store, const struct row_scope *scope,
			const struct relinked_file *files, size_t count,
			struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (store_keep(store, KEPT_RELINK_FILE,
		       "UPDATE file SET device = ?, inode = ?, links = ? "
		       "WHERE tag_set = ? AND host = ? AND path_hash = ?",
		       error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct statement *statement = store->kept[KEPT_RELINK_FILE];
		driver->bind_integer(statement, 0, files[i].device);
		driver->bind_integer(statement, 1, files[i].inode);
		driver->bind_integer(statement, 2, files[i].links);
		driver->bind_integer(statement, 3, scope->tag_set);
		driver->bind_integer(statement, 4, scope->host);
		driver->bind_bytes(statement, 5, files[i].path_hash, PATH_HASH_SIZE);
		if (store_run_kept(store, KEPT_RELINK_FILE, error) != 0)
			return -1;
	}
	return 0;
}

static int remove_directory(struct store *store, const struct row_scope *scope,
			    const uint8_t hash[DIRECTORY_HASH_SIZE], int64_t *removed,
			    struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct hash_range range = hash_range_of_directory(hash);
	struct statement *statement;

	if (store_keep(store, KEPT_REMOVE_DIRECTORY_FILES,
		       "DELETE FROM file WHERE tag_set = ? AND host = ? "
		       "AND path_hash BETWEEN ? AND ?",
		       error) != 0 ||
	    store_keep(store, KEPT_REMOVE_DIRECTORY,
		       "DELETE FROM directory WHERE tag_set = ? AND host = ? "
		       "AND directory_hash = ?",
		       error) != 0)
		return -1;
	if (count_range(store, scope, &range, removed, error) != 0)
		return -1;
	store_bind_hash_range(driver, store->kept[KEPT_REMOVE_DIRECTORY_FILES], 0, scope, &range);
	if (store_run_kept(store, KEPT_REMOVE_DIRECTORY_FILES, error) != 0 ||
	    store_remove_sketches(store, scope, &range, error) != 0)
		return -1;
	statement = store->kept[KEPT_REMOVE_DIRECTORY];
	driver->bind_integer(statement, 0, scope->tag_set);
	driver->bind_integer(statement, 1, scope->host);
	driver->bind_bytes(statement, 2, hash, DIRECTORY_HASH_SIZE);
	return store_run_kept(store, KEPT_REMOVE_DIRECTORY, error);
}

struct write_job {
	const struct row_scope *scope;
	const struct store_batch *batch;
	int64_t removed;
};

static int write_all(struct store *store, void *context, struct simhash_error *error)
{
	struct write_job *job = context;
	const struct store_batch *batch = job->batch;

	job->removed = 0;
	for (size_t i = 0; i < batch->removed_directory_count; i++)
		if (remove_directory(store, job->scope, batch->removed_directories[i],
				     &job->removed, error) != 0)
			return -1;
	if (remove_files(store, job->scope, batch->removed_files, batch->removed_file_count,
			 &job->removed, error) != 0 ||
	    relink_files(store, job->scope, batch->relinked, batch->relinked_count, error) != 0 ||
	    write_directories(store, job->scope, batch->directories, batch->directory_count,
			      error) != 0)
		return -1;
	if (write_rows(store, job->scope, batch->rows, batch->row_count, error) != 0)
		return -1;
	return store_upsert_sketches(store, job->scope, batch->rows, batch->row_count, error);
}

static int compare_rows(const void *a, const void *b)
{
	const struct file_row *const *x = a, *const *y = b;

	return memcmp((*x)->path_hash, (*y)->path_hash, PATH_HASH_SIZE);
}

int store_write(struct store *store, const struct row_scope *scope, const struct store_batch *batch,
		int64_t *removed, struct simhash_error *error)
{
	struct write_job job = {scope, batch, 0};
	int status;

	if (batch->row_count > 0)
		qsort(batch->rows, batch->row_count, sizeof *batch->rows, compare_rows);
	status = store_in_transaction(store, write_all, &job, error);
	*removed = job.removed;
	return status;
}

static int before_load(struct store *store, void *context, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	(void)context;
	if (driver->prepare(store->database, "SELECT 1 FROM file LIMIT 1", &statement, error) != 0)
		return -1;
	status = driver->step(statement, error);
	driver->finalize(statement);
	store->is_first_load = status == 0;
	if (status != 0)
		return status < 0 ? -1 : 0;
	return schema_before_load(driver, store->database, error);
}

static int after_load(struct store *store, void *context, struct simhash_error *error)
{
	(void)context;
	return schema_after_load(store->driver, store->database, error);
}

int store_begin_load(struct store *store, struct simhash_error *error)
{
	return store_in_transaction(store, before_load, NULL, error);
}

int store_end_load(struct store *store, struct simhash_error *error)
{
	return store->is_first_load ? store_in_transaction(store, after_load, NULL, error) : 0;
}

int store_copy_fixed(const struct database_driver *driver, struct statement *statement,
		     unsigned column, uint8_t *out, size_t size, struct simhash_error *error)
{
	struct bytes value = driver->column_bytes(statement, column);

	if (value.size != size)
		return error_set(error, SIMHASH_E_DATABASE,
				 "table file: a hash of %zu bytes where %zu are expected",
				 value.size, size);
	memcpy(out, value.data, size);
	return 0;
}

/* ---- Whole rows ---- */

#define CONTENT_HASH_COLUMN 10

/* The columns of a whole row, after path_hash, in the order of value_columns. */
static void take_values(const struct database_driver *driver, struct statement *statement,
			struct file_row *row)
{
	unsigned i = 1;

	row->directory = driver->column_bytes(statement, i++);
	row->name = driver->column_bytes(statement, i++);
	row->extension = driver->column_bytes(statement, i++);
	row->size_bytes = driver->column_integer(statement, i++);
	row->mtime_ns = driver->column_integer(statement, i++);
	row->device = driver->column_integer(statement, i++);
	row->inode = driver->column_integer(statement, i++);
	row->links = driver->column_integer(statement, i++);
	row->compressed_size_bytes = driver->column_integer(statement, i++);
	i++; /* content_hash: a column that can be damaged */
	row->scanned_at_ns = driver->column_integer(statement, i++);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		row->table.count[t] = (uint64_t)driver->column_integer(statement, i++);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		row->keys.key[k] = driver->column_integer(statement, i++);
}

static int prepare_whole_rows(struct store *store, struct statement **statement,
			      struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);
	int status;

	if (sql == NULL)
		return error_set_memory(error);
	fprintf(sql, "SELECT path_hash");
	for (size_t i = 0; i < VALUE_COLUMNS; i++)
		fprintf(sql, ", %s", value_columns[i]);
	fprintf(sql, " FROM file WHERE tag_set = ? AND host = ? AND path_hash BETWEEN ? AND ? "
		     "ORDER BY path_hash LIMIT ?");
	status = close_text(sql, &text) != 0
			 ? error_set_memory(error)
			 : store->driver->prepare(store->database, text, statement, error);
	free(text);
	return status;
}

int store_read_rows(struct store *store, const struct row_scope *scope, const uint8_t *after,
		    const uint8_t *last, int64_t limit, store_row_fn *each, void *context,
		    struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct file_row row = {.host = scope->host};
	uint8_t low[PATH_HASH_SIZE];
	struct statement *statement;
	struct hash_range range;
	int status;

	if (!hash_range_after(after, last, &range))
		return 0;
	if (prepare_whole_rows(store, &statement, error) != 0)
		return -1;
	memcpy(low, range.low, sizeof low);
	store_bind_hash_range(driver, statement, 0, scope, &range);
	driver->bind_integer(statement, 4, limit);
	while ((status = driver->step(statement, error)) == 1) {
		take_values(driver, statement, &row);
		if (store_copy_fixed(driver, statement, 0, row.path_hash, PATH_HASH_SIZE, error) !=
			    0 ||
		    hash_range_check(low, row.path_hash, error) != 0 ||
		    store_copy_fixed(driver, statement, CONTENT_HASH_COLUMN, row.content_hash,
				     CONTENT_HASH_SIZE, error) != 0 ||
		    each(context, &row, error) != 0) {
			status = -1;
			break;
		}
		memcpy(low, row.path_hash, PATH_HASH_SIZE);
	}
	driver->finalize(statement);
	return status;
}

/* ---- Streams of rows ---- */

struct row_cursor {
	const struct database_driver *driver;
	struct statement *statement;
	enum simhash_key key;
};

/*
 * What every stream selects from `file f`, in the order of store_rows_next; then the key
 * asked for. Most files have one link: what is 0 takes no room where rows are sorted.
 */
#define ROW_SELECT                                                                         \
	"SELECT f.host, f.path_hash, f.directory, f.name, f.size, f.mtime_ns, "            \
	"f.compressed_size, CASE WHEN f.links = 1 THEN 0 ELSE f.device END, "              \
	"CASE WHEN f.links = 1 THEN 0 ELSE f.inode END, "                                  \
	"f.content_hash, f.uniform, f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, "    \
	"f.sum_05, f.sum_06, f.sum_07, f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, " \
	"f.sum_13, f.sum_14, f.sum_15, f.%s"

/* Entries of the index of uniform that are within bounds, and the rows of those. */
#define FROM_NEAR_INDEX                                                                \
	" FROM file i CROSS JOIN file f ON f.tag_set = i.tag_set AND f.host = i.host " \
	"AND f.path_hash = i.path_hash "

static int cursor_new(struct store *store, const char *sql, enum simhash_key key,
		      struct row_cursor **cursor, struct simhash_error *error)
{
	*cursor = malloc(sizeof **cursor);
	if (*cursor == NULL)
		return error_set_memory(error);
	**cursor = (struct row_cursor){.driver = store->driver, .key = key};
	if (store->driver->prepare(store->database, sql, &(*cursor)->statement, error) == 0)
		return 0;
	free(*cursor);
	*cursor = NULL;
	return -1;
}

int store_rows_new(struct store *store, const char *more, const char *from, enum simhash_key key,
		   struct row_cursor **cursor, struct statement **statement,
		   struct simhash_error *error)
{
	char sql[2048];

	snprintf(sql, sizeof sql, ROW_SELECT "%s %s", simhash_key_name(key), more, from);
	if (cursor_new(store, sql, key, cursor, error) != 0)
		return -1;
	*statement = (*cursor)->statement;
	return 0;
}

/* uniform is always read; this is the other one. */
static enum simhash_key other_key(const struct key_range *range)
{
	return range->key == SIMHASH_UNIFORM ? range->also : range->key;
}

int store_rows_in_order(struct store *store, const struct key_range *range,
			struct row_cursor **cursor, struct simhash_error *error)
{
	const char *key = simhash_key_name(range->key);
	/* To both engines +x is no column, so that its index is not used. */
	const char *plus = range->order == ORDER_BY_INDEX ? "" : "+";
	char order[80], sql[1024];

	snprintf(order, sizeof order, "ORDER BY %sf.%s, f.host, f.path_hash", plus, key);
	snprintf(sql, sizeof sql,
		 ROW_SELECT " FROM file f WHERE f.tag_set = ? AND %sf.%s BETWEEN ? AND ? "
			    "AND f.size >= ? %s",
		 simhash_key_name(other_key(range)), plus, key,
		 range->order == ORDER_NONE ? "" : order);
	if (cursor_new(store, sql, other_key(range), cursor, error) != 0)
		return -1;
	store->driver->bind_integer((*cursor)->statement, 0, range->tag_set);
	store->driver->bind_integer((*cursor)->statement, 1, range->low);
	store->driver->bind_integer((*cursor)->statement, 2, range->high);
	store->driver->bind_integer((*cursor)->statement, 3, range->with_empty ? INT64_MIN : 1);
	return 0;
}

int store_rows_reaching(struct store *store, const struct key_range *range, int64_t target,
			int64_t up, int64_t down, struct row_cursor **cursor,
			struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	char sql[1024];

	/* A division of integers may be rounded down or exact: one more makes both enough. */
	snprintf(sql, sizeof sql,
		 ROW_SELECT FROM_NEAR_INDEX
		 "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND i.size >= ? "
		 "AND ? - i.uniform <= (i.size / ? + 1) * ? + 2 "
		 "ORDER BY i.uniform, f.host, f.path_hash",
		 simhash_key_name(other_key(range)));
	if (cursor_new(store, sql, other_key(range), cursor, error) != 0)
		return -1;
	statement = (*cursor)->statement;
	driver->bind_integer(statement, 0, range->tag_set);
	driver->bind_integer(statement, 1, range->low);
	driver->bind_integer(statement, 2, range->high);
	driver->bind_integer(statement, 3, range->with_empty ? INT64_MIN : 1);
	driver->bind_integer(statement, 4, target);
	driver->bind_integer(statement, 5, down);
	driver->bind_integer(statement, 6, up);
	return 0;
}

int store_rows_near(struct store *store, const struct near_range *range, struct row_cursor **cursor,
		    struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	const int64_t values[] = {
		range->tag_set,	    range->uniform[0],	     range->uniform[1],
		range->size[0],	    range->size[1],	     range->skew_ext[0],
		range->skew_ext[1], range->scatter_shift[0], range->scatter_shift[1],
		range->skew_factor, range->skew_shift[0],    range->skew_shift[1],
	};
	char sql[1024];

	snprintf(sql, sizeof sql,
		 ROW_SELECT FROM_NEAR_INDEX
		 "WHERE i.tag_set = ? AND i.uniform BETWEEN ? AND ? AND i.size BETWEEN ? AND ? "
		 "AND i.skew_ext BETWEEN ? AND ? AND i.scatter - i.uniform BETWEEN ? AND ? "
		 "AND i.skew_ext - ? * (i.uniform / 1) BETWEEN ? AND ?",
		 simhash_key_name(range->key));
	if (cursor_new(store, sql, range->key, cursor, error) != 0)
		return -1;
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
		driver->bind_integer((*cursor)->statement, i, values[i]);
	return 0;
}

static int impossible_row(const struct file_row *row, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "table file: the row of %.*s/%.*s holds numbers that no file has; "
			 "scan it again with simhash --force",
			 (int)row->directory.size, row->directory.data, (int)row->name.size,
			 row->name.data);
}

int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error)
{
	const struct database_driver *driver = cursor->driver;
	struct statement *statement = cursor->statement;
	bool possible;
	int status = driver->step(statement, error);

	if (status != 1)
		return status;
	row->host = driver->column_integer(statement, 0);
	row->directory = driver->column_bytes(statement, 2);
	row->name = driver->column_bytes(statement, 3);
	row->size_bytes = driver->column_integer(statement, 4);
	row->mtime_ns = driver->column_integer(statement, 5);
	row->compressed_size_bytes = driver->column_integer(statement, 6);
	row->device = driver->column_integer(statement, 7);
	row->inode = driver->column_integer(statement, 8);
	row->keys.key[SIMHASH_UNIFORM] = driver->column_integer(statement, 10);
	row->keys.key[cursor->key] = driver->column_integer(statement, 11 + SIMHASH_TAGS);
	possible = row->size_bytes >= 0 && row->compressed_size_bytes >= 0 &&
		   row->keys.key[SIMHASH_UNIFORM] >= 0 && row->keys.key[cursor->key] >= 0;
	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		int64_t count = driver->column_integer(statement, 11 + t);
		possible = possible && count >= 0 && count <= row->size_bytes;
		row->table.count[t] = (uint64_t)count;
	}
	if (!possible)
		return impossible_row(row, error);
	if (store_copy_fixed(driver, statement, 1, row->path_hash, PATH_HASH_SIZE, error) != 0 ||
	    store_copy_fixed(driver, statement, 9, row->content_hash, CONTENT_HASH_SIZE, error) !=
		    0)
		return -1;
	return 1;
}

int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error)
{
	const struct database_driver *driver = cursor->driver;
	struct statement *statement = cursor->statement;

	sketch->features = driver->column_integer(statement, STREAM_COLUMNS);
	sketch->cluster = driver->column_integer(statement, STREAM_COLUMNS + 1);
	sketch->value = driver->column_bytes(statement, STREAM_COLUMNS + 2);
	if (sketch->value.size == size)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table sketch: a sketch of %zu bytes where %zu are expected; scan again "
			 "with simhash --force --measure",
			 sketch->value.size, size);
}

void store_rows_end(struct row_cursor *cursor)
{
	if (cursor == NULL)
		return;
	cursor->driver->finalize(cursor->statement);
	free(cursor);
}

int store_read_keys(struct store *store, const struct key_range *range, store_row_fn *each,
		    void *context, struct simhash_error *error)
{
	struct row_cursor *cursor;
	struct file_row row = {.host = 0};
	int status;

	if (store_rows_in_order(store, range, &cursor, error) != 0)
		return -1;
	while ((status = store_rows_next(cursor, &row, error)) == 1)
		if (each(context, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(cursor);
	return status;
}

int store_count_rows(struct store *store, int64_t tag_set, int64_t *rows,
		     struct simhash_error *error)
{
	return store_run(store, "SELECT count(*) FROM file WHERE tag_set = ?", NULL, &tag_set, 1,
			 rows, error);
}

int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT uniform FROM file WHERE tag_set = ? AND uniform >= ? "
			    "ORDER BY uniform LIMIT 1 OFFSET ?",
			    &statement, error) != 0)
		return -1;
	driver->bind_integer(statement, 0, tag_set);
	driver->bind_integer(statement, 1, from);
	driver->bind_integer(statement, 2, skip);
	status = driver->step(statement, error);
	*key = status == 1 ? driver->column_integer(statement, 0) : INT64_MAX;
	driver->finalize(statement);
	return status < 0 ? -1 : 0;
}

bool store_reads_parts(const struct store *store)
{
	return store->driver->reads_parts;
}

int store_read_totals(struct store *store, store_total_fn *each, void *context,
		      struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT tag_set, host, count(*), CAST(sum(size) AS SIGNED) FROM file "
			    "GROUP BY tag_set, host ORDER BY tag_set, host",
			    &statement, error) != 0)
		return -1;
	while ((status = driver->step(statement, error)) == 1) {
		struct row_scope scope = {driver->column_integer(statement, 0),
					  driver->column_integer(statement, 1)};
		status = each(context, &scope, driver->column_integer(statement, 2),
			      driver->column_integer(statement, 3), error);
		if (status != 0)
			break;
	}
	driver->finalize(statement);
	return status;
}
