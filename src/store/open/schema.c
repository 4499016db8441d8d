/*
 * Creates, migrates and rejects indexes. sql/ has the SQL, and the driver runs it.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/open/query.h"

#define TRIES 8 /* the number of tries, with pauses of 20, 40 ... 2560 ms */

/* Write a statement, and replace "{x}" by the bytes of column x as text. */
static void write_statement(FILE *out, const char *sql, size_t size, const char *as_text)
{
	static const char column[] = "{column}";
	const char *end = sql + size, *brace, *place;

	while ((brace = memchr(sql, '{', (size_t)(end - sql))) != NULL) {
		size_t name = strcspn(brace, "}") - 1;
		fwrite(sql, 1, (size_t)(brace - sql), out);
		for (sql = as_text; (place = strstr(sql, column)) != NULL;
		     sql = place + strlen(column)) {
			fwrite(sql, 1, (size_t)(place - sql), out);
			fwrite(brace + 1, 1, name, out);
		}
		fputs(sql, out);
		sql = brace + name + 2;
	}
	fwrite(sql, 1, (size_t)(end - sql), out);
}

static char *read_statement(const char *sql, size_t size, const char *as_text)
{
	char *text = NULL;
	size_t length;
	FILE *out;

	if (as_text == NULL)
		return strndup(sql, size);
	out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	write_statement(out, sql, size, as_text);
	return close_text(out, &text) == 0 ? text : NULL;
}

/*
 * Run a script statement by statement; each ends with ";" at the end of a line. After an
 * interrupted run, a statement may find that its work is done: ERROR_DUPLICATE.
 */
static int run_script(const struct store *store, const char *script, struct simhash_error *error)
{
	const char *end;

	while (script != NULL && (end = strstr(script, ";\n")) != NULL) {
		char *sql = read_statement(script, (size_t)(end - script), store->driver->as_text);
		int status;
		if (sql == NULL)
			return error_set_memory(error);
		status = store->driver->execute(store->database, sql, error);
		free(sql);
		if (status != 0 && error->code != ERROR_DUPLICATE)
			return -1;
		script = end + 2;
	}
	return 0;
}

int schema_before_load(struct store *store, struct simhash_error *error)
{
	return run_script(store, store->driver->before_load, error);
}

int schema_after_load(struct store *store, struct simhash_error *error)
{
	return run_script(store, store->driver->after_load, error);
}

static int newest_version(const struct store *store)
{
	int version = 0;

	while (store->driver->migrations[version] != NULL)
		version++;
	return version;
}

/*
 * Read the version of the index. It is 0 for an empty database, and if the first opening was
 * interrupted.
 */
static int read_version(struct store *store, int64_t *version, struct simhash_error *error)
{
	const char *url = store->location.url;
	int64_t tables;

	*version = 0;
	if (store_read_integer(store, store->driver->count_tables, NULL, 0, &tables, error) != 0)
		return -1;
	if (tables == 0)
		return 0;
	if (store_read_integer(store, "SELECT MAX(version) FROM schema_version", NULL, 0, version,
			       error) != 0)
		return error->code != SIMHASH_E_SCHEMA
			       ? -1
			       : error_set(error, SIMHASH_E_SCHEMA,
					   "%s is a database, but not an index of simhash: it has "
					   "tables, but no schema_version; give simhash its own "
					   "database",
					   url);
	if (*version < 0)
		return error_set(error, SIMHASH_E_SCHEMA,
				 "%s has schema version %lld, which does not exist: it is damaged, "
				 "or not an index of simhash",
				 url, (long long)*version);
	return 0;
}

/* Views are created before the last version is set, so an index of that version is complete. */
static int migrate(struct store *store, int64_t *version, int newest, struct simhash_error *error)
{
	if (run_script(store, store->driver->migrations[*version], error) != 0 ||
	    (*version + 1 == newest && run_script(store, store->driver->views, error) != 0))
		return -1;
	*version += 1;
	if (store_run(store, "INSERT INTO schema_version(version) VALUES (?)", version, 1, error) !=
		    0 &&
	    error->code != ERROR_DUPLICATE)
		return -1;
	return 0;
}

/* The caller has begun a transaction. */
static int update(struct store *store, int newest, struct simhash_error *error)
{
	int64_t version;

	/* Another process may have updated it already. */
	if (read_version(store, &version, error) != 0 ||
	    (version == newest && run_script(store, store->driver->views, error) != 0))
		return -1;
	while (version < newest)
		if (migrate(store, &version, newest, error) != 0)
			return -1;
	return schema_after_load(store, error);
}

static int try_to_update(struct store *store, int newest, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct simhash_error ignored;

	if (driver->execute(store->database, driver->begin, error) != 0)
		return -1;
	if (update(store, newest, error) == 0)
		return driver->execute(store->database, "COMMIT", error);
	driver->execute(store->database, "ROLLBACK", &ignored);
	return -1;
}

/*
 * Several processes may create or update one index at the same time, so try again after a conflict.
 */
static int update_all(struct store *store, int newest, struct simhash_error *error)
{
	for (unsigned attempt = 0; try_to_update(store, newest, error) != 0; attempt++) {
		if (error->code != ERROR_RETRY || attempt + 1 >= TRIES)
			return -1;
		clock_sleep_ns((INT64_C(20) << attempt) * NS_PER_MS);
	}
	return 0;
}

static int refuse_old(const char *url, int64_t version, int newest, struct simhash_error *error)
{
	if (version == 0)
		return error_set(error, SIMHASH_E_SCHEMA,
				 "%s has no index yet: run simhash on it first", url);
	return error_set(error, SIMHASH_E_SCHEMA,
			 "%s has schema version %lld, but this program needs %d: run simhash on it "
			 "once",
			 url, (long long)version, newest);
}

int schema_open(struct store *store, enum open_mode mode, struct simhash_error *error)
{
	int newest = newest_version(store);
	int64_t version;

	if (read_version(store, &version, error) != 0)
		return -1;
	if (version > newest)
		return error_set(error, SIMHASH_E_SCHEMA,
				 "%s has schema version %lld, but this program knows versions up "
				 "to %d: use a newer simhash",
				 store->location.url, (long long)version, newest);
	if (version == newest)
		return mode == OPEN_TO_READ ? 0 : schema_after_load(store, error);
	if (mode == OPEN_TO_READ)
		return refuse_old(store->location.url, version, newest, error);
	return update_all(store, newest, error);
}

int schema_make_views(struct store *store, struct simhash_error *error)
{
	return update_all(store, newest_version(store), error);
}
