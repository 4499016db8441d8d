/*
 * The tables `measure` and `sketch`: what other measures say of files.
 * Leaves the files themselves to file_table.c, and what a sketch means to the measures.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/connection.h"

static const char *const columns[] = {"content_hash", "features", "cluster", "value"};
static const struct upsert sketch_upsert = {"sketch", "tag_set, host, path_hash, measure", 4,
					    columns, sizeof columns / sizeof *columns};

/* No more than this of a sketch in a statement beside its value, in the protocols of the engines. */
#define SKETCH_BYTES (8 * 12 + PATH_HASH_SIZE + CONTENT_HASH_SIZE)

void store_want_measures(struct store *store, const int64_t *ids, unsigned count)
{
	store->measure_count = count;
	memcpy(store->measures, ids, count * sizeof *ids);
}

/* Bind one sketch from parameter `first` on; returns the parameter after it. */
static unsigned bind_sketch(const struct database_driver *driver, struct statement *statement,
			    unsigned first, const struct row_scope *scope,
			    const struct stored_sketch *sketch)
{
	unsigned i = first;

	driver->bind_integer(statement, i++, scope->tag_set);
	driver->bind_integer(statement, i++, scope->host);
	driver->bind_bytes(statement, i++, sketch->path_hash, PATH_HASH_SIZE);
	driver->bind_integer(statement, i++, sketch->measure);
	driver->bind_bytes(statement, i++, sketch->content_hash, CONTENT_HASH_SIZE);
	driver->bind_integer(statement, i++, sketch->features);
	driver->bind_integer(statement, i++, sketch->cluster);
	driver->bind_bytes(statement, i++, sketch->value.data, sketch->value.size);
	return i;
}

/* How many sketches go into one statement at most. */
#define AT_ONCE 256

static int write_some(struct store *store, const struct row_scope *scope,
		      const struct stored_sketch *sketches, size_t count,
		      struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	unsigned many = store->array_rows > 0 ? store->array_rows : driver->rows_per_insert;
	size_t done = 0;

	if (store_keep_upsert_many(store, KEPT_UPSERT_SKETCH_MANY, &sketch_upsert, error) != 0 ||
	    store_keep_upsert(store, KEPT_UPSERT_SKETCH_ONE, &sketch_upsert, 1, error) != 0)
		return -1;
	while (done < count) {
		int64_t room = store->max_statement_bytes;
		size_t fitting = 0;
		unsigned parameter = 0;
		enum kept_statement which;
		bool at_once;
		while (fitting < many && done + fitting < count &&
		       room > SKETCH_BYTES + (int64_t)sketches[done + fitting].value.size)
			room -= SKETCH_BYTES + (int64_t)sketches[done + fitting++].value.size;
		at_once = fitting == many || (store->array_rows > 0 && fitting > 1);
		which = at_once ? KEPT_UPSERT_SKETCH_MANY : KEPT_UPSERT_SKETCH_ONE;
		for (size_t i = 0; i < (at_once ? fitting : 1); i++)
			parameter = bind_sketch(driver, store->kept[which], parameter, scope,
						&sketches[done++]);
		if (store_run_kept(store, which, error) != 0)
			return -1;
	}
	return 0;
}

int store_upsert_sketches(struct store *store, const struct row_scope *scope,
			  const struct file_row *const *rows, size_t count,
			  struct simhash_error *error)
{
	struct stored_sketch some[AT_ONCE];
	size_t filled = 0;

	if (store->measure_count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct row_sketches *sketches = rows[i]->sketches;
		for (unsigned k = 0; sketches != NULL && k < sketches->count; k++) {
			struct stored_sketch *sketch = &some[filled++];
			memcpy(sketch->path_hash, rows[i]->path_hash, PATH_HASH_SIZE);
			memcpy(sketch->content_hash, rows[i]->content_hash, CONTENT_HASH_SIZE);
			sketch->measure = store->measures[k];
			sketch->features = sketches->sketch[k].features;
			sketch->cluster = sketches->sketch[k].cluster;
			sketch->value = sketches->sketch[k].value;
			if (filled < AT_ONCE)
				continue;
			if (write_some(store, scope, some, filled, error) != 0)
				return -1;
			filled = 0;
		}
	}
	return write_some(store, scope, some, filled, error);
}

int store_remove_sketches(struct store *store, const struct row_scope *scope,
			  const struct hash_range *range, struct simhash_error *error)
{
	if (store_keep(store, KEPT_REMOVE_SKETCHES,
		       "DELETE FROM sketch WHERE tag_set = ? AND host = ? "
		       "AND path_hash BETWEEN ? AND ?",
		       error) != 0)
		return -1;
	store_bind_hash_range(store->driver, store->kept[KEPT_REMOVE_SKETCHES], 0, scope, range);
	return store_run_kept(store, KEPT_REMOVE_SKETCHES, error);
}

/* ---- Removing a measure ---- */

#define CLUSTERS_AT_ONCE 1000

struct removal {
	int64_t measure, removed; /* by the last transaction */
	bool is_last;
};

/* Sketches are found by the index of their clusters, so many clusters at a time. */
static int remove_some(struct store *store, void *context, struct simhash_error *error)
{
	struct removal *removal = context;
	const struct database_driver *driver = store->driver;
	int64_t values[] = {removal->measure, INT64_MAX}, count;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT cluster FROM sketch WHERE measure = ? ORDER BY cluster LIMIT 1 "
			    "OFFSET ?",
			    &statement, error) != 0)
		return -1;
	driver->bind_integer(statement, 0, removal->measure);
	driver->bind_integer(statement, 1, CLUSTERS_AT_ONCE);
	status = driver->step(statement, error);
	removal->is_last = status == 0;
	if (status == 1)
		values[1] = driver->column_integer(statement, 0);
	driver->finalize(statement);
	if (status < 0 ||
	    store_run(store, "SELECT count(*) FROM sketch WHERE measure = ? AND cluster <= ?", NULL,
		      values, 2, &count, error) != 0 ||
	    store_run(store, "DELETE FROM sketch WHERE measure = ? AND cluster <= ?", NULL, values,
		      2, NULL, error) != 0)
		return -1;
	removal->removed = count;
	return !removal->is_last ? 0
				 : store_run(store, "DELETE FROM measure WHERE id = ?", NULL,
					     values, 1, NULL, error);
}

int store_remove_measure(struct store *store, int64_t measure, int64_t *removed,
			 struct simhash_error *error)
{
	struct removal removal = {.measure = measure};

	*removed = 0;
	while (!removal.is_last) {
		if (store_in_transaction(store, remove_some, &removal, error) != 0)
			return -1;
		*removed += removal.removed;
	}
	return 0;
}

/* ---- Copying ---- */

struct sketch_job {
	const struct row_scope *scope;
	const struct stored_sketch *sketches;
	size_t count;
};

static int write_job(struct store *store, void *context, struct simhash_error *error)
{
	const struct sketch_job *job = context;

	return write_some(store, job->scope, job->sketches, job->count, error);
}

int store_write_sketches(struct store *store, const struct row_scope *scope,
			 const struct stored_sketch *sketches, size_t count,
			 struct simhash_error *error)
{
	struct sketch_job job = {scope, sketches, count};

	return store_in_transaction(store, write_job, &job, error);
}

int store_read_sketches(struct store *store, const struct row_scope *scope, const uint8_t *after,
			const uint8_t *last, store_sketch_fn *each, void *context,
			struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct stored_sketch sketch;
	uint8_t low[PATH_HASH_SIZE];
	struct statement *statement;
	struct hash_range range;
	int status;

	if (!hash_range_after(after, last, &range))
		return 0;
	if (driver->prepare(store->database,
			    "SELECT path_hash, measure, content_hash, features, cluster, value "
			    "FROM sketch WHERE tag_set = ? AND host = ? "
			    "AND path_hash BETWEEN ? AND ? ORDER BY path_hash, measure",
			    &statement, error) != 0)
		return -1;
	memcpy(low, range.low, sizeof low);
	store_bind_hash_range(driver, statement, 0, scope, &range);
	while ((status = driver->step(statement, error)) == 1) {
		sketch.measure = driver->column_integer(statement, 1);
		sketch.features = driver->column_integer(statement, 3);
		sketch.cluster = driver->column_integer(statement, 4);
		sketch.value = driver->column_bytes(statement, 5);
		if (store_copy_fixed(driver, statement, 0, sketch.path_hash, PATH_HASH_SIZE,
				     error) != 0 ||
		    store_copy_fixed(driver, statement, 2, sketch.content_hash, CONTENT_HASH_SIZE,
				     error) != 0 ||
		    hash_range_check(low, sketch.path_hash, error) != 0 ||
		    each(context, &sketch, error) != 0) {
			status = -1;
			break;
		}
		memcpy(low, sketch.path_hash, PATH_HASH_SIZE);
	}
	driver->finalize(statement);
	return status;
}

/* ---- Finding ---- */

#define JOIN_FILES                                                                \
	"FROM sketch s JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host " \
	"AND f.path_hash = s.path_hash AND f.content_hash = s.content_hash "

int store_read_measure_totals(struct store *store, store_measure_fn *each, void *context,
			      struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT m.name, (SELECT count(*) " JOIN_FILES
			    "WHERE s.measure = m.id) FROM measure m ORDER BY m.id",
			    &statement, error) != 0)
		return -1;
	while ((status = driver->step(statement, error)) == 1)
		if (each(context, driver->column_bytes(statement, 0),
			 driver->column_integer(statement, 1), error) != 0) {
			status = -1;
			break;
		}
	driver->finalize(statement);
	return status;
}

int store_count_sketches(struct store *store, int64_t tag_set, int64_t measure, int64_t *files,
			 struct simhash_error *error)
{
	const int64_t values[] = {tag_set, measure};

	return store_run(store,
			 "SELECT count(*) " JOIN_FILES "WHERE s.tag_set = ? AND s.measure = ?",
			 NULL, values, 2, files, error);
}

int store_rows_sketched(struct store *store, int64_t tag_set, int64_t measure, enum simhash_key key,
			bool with_empty, struct row_cursor **cursor, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;

	if (store_rows_new(store, ", s.features, s.cluster, s.value",
			   JOIN_FILES "WHERE s.tag_set = ? AND s.measure = ? AND s.features > 0 "
				      "AND f.size >= ? ORDER BY s.host, s.path_hash",
			   key, cursor, &statement, error) != 0)
		return -1;
	driver->bind_integer(statement, 0, tag_set);
	driver->bind_integer(statement, 1, measure);
	driver->bind_integer(statement, 2, with_empty ? INT64_MIN : 1);
	return 0;
}
