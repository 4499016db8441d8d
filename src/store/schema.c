/*
 * Creating, migrating and refusing indexes.
 * Leaves the SQL to sql/ and its running to the driver.
 * SPDX-License-Identifier: MIT
 */
#include "store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The one integer that a query yields; `otherwise` where it yields no row. */
static int query_integer(const struct database_driver *driver, struct database *database,
			 const char *sql, int64_t otherwise, int64_t *value,
			 struct simhash_error *error)
{
	struct statement *statement;
	int status;

	if (driver->prepare(database, sql, &statement, error) != 0)
		return -1;
	status = driver->step(statement, error);
	if (status >= 0)
		*value = status == 1 ? driver->column_integer(statement, 0) : otherwise;
	driver->finalize(statement);
	return status < 0 ? -1 : 0;
}

/*
 * Run a script statement by statement; each ends in ";" at the end of a line. Where
 * a script was cut off before, a statement may find its work done: SIMHASH_E_DUPLICATE.
 */
static int run_script(const struct database_driver *driver, struct database *database,
		      const char *script, struct simhash_error *error)
{
	const char *end;

	while ((end = strstr(script, ";\n")) != NULL) {
		char *sql = strndup(script, (size_t)(end - script));
		int status;
		if (sql == NULL)
			return error_set_memory(error);
		status = driver->execute(database, sql, error);
		free(sql);
		if (status != 0 && error->code != SIMHASH_E_DUPLICATE)
			return -1;
		script = end + 2;
	}
	return 0;
}

int schema_before_load(const struct database_driver *driver, struct database *database,
		       struct simhash_error *error)
{
	return driver->before_load == NULL
		       ? 0
		       : run_script(driver, database, driver->before_load, error);
}

int schema_after_load(const struct database_driver *driver, struct database *database,
		      struct simhash_error *error)
{
	return driver->after_load == NULL ? 0
					  : run_script(driver, database, driver->after_load, error);
}

static int newest_version(const struct database_driver *driver)
{
	int version = 0;

	while (driver->migrations[version] != NULL)
		version++;
	return version;
}

/*
 * The version of the index: 0 for an empty database and for one whose first
 * opening was cut off.
 */
static int read_version(const struct database_driver *driver, struct database *database,
			const char *name, int64_t *version, struct simhash_error *error)
{
	int64_t tables;

	*version = 0;
	if (query_integer(driver, database, driver->count_tables, 0, &tables, error) != 0)
		return -1;
	if (tables == 0)
		return 0;
	if (query_integer(driver, database, "SELECT MAX(version) FROM schema_version", 0, version,
			  error) == 0)
		return *version >= 0 ? 0
				     : error_set(error, SIMHASH_E_SCHEMA,
						 "%s has schema version %lld, which there never "
						 "was: it is damaged, or no index of simhash",
						 name, (long long)*version);
	if (error->code != SIMHASH_E_SCHEMA)
		return -1;
	return error_set(error, SIMHASH_E_SCHEMA,
			 "%s is a database, but not an index of simhash: it has tables, and no "
			 "schema_version among them; give a database of its own",
			 name);
}

static int migrate(const struct database_driver *driver, struct database *database,
		   int64_t *version, struct simhash_error *error)
{
	char sql[80];

	if (run_script(driver, database, driver->migrations[*version], error) != 0)
		return -1;
	*version += 1;
	snprintf(sql, sizeof sql, "INSERT INTO schema_version(version) VALUES (%d)", (int)*version);
	if (driver->execute(database, sql, error) != 0 && error->code != SIMHASH_E_DUPLICATE)
		return -1;
	return 0;
}

int schema_open(const struct database_driver *driver, struct database *database,
		enum open_mode mode, const char *name, struct simhash_error *error)
{
	int newest = newest_version(driver);
	int64_t version;

	if (read_version(driver, database, name, &version, error) != 0)
		return -1;
	if (version > newest)
		return error_set(
			error, SIMHASH_E_SCHEMA,
			"%s has schema version %lld, and this program knows up to %d: use a "
			"newer simhash",
			name, (long long)version, newest);
	if (version == newest)
		return mode != OPEN_TO_READ ? schema_after_load(driver, database, error) : 0;
	if (mode == OPEN_TO_READ)
		return version == 0
			       ? error_set(error, SIMHASH_E_SCHEMA,
					   "%s has no index yet: run simhash on it first", name)
			       : error_set(error, SIMHASH_E_SCHEMA,
					   "%s has schema version %lld, and this program needs %d: "
					   "run "
					   "simhash on it once",
					   name, (long long)version, newest);
	if (driver->execute(database, driver->begin, error) != 0)
		return -1;
	/* Another process may have been faster. */
	if (read_version(driver, database, name, &version, error) != 0)
		goto undo;
	while (version < newest)
		if (migrate(driver, database, &version, error) != 0)
			goto undo;
	if (schema_after_load(driver, database, error) != 0)
		goto undo;
	return driver->execute(database, "COMMIT", error);
undo : {
	struct simhash_error ignored;
	driver->execute(database, "ROLLBACK", &ignored);
}
	return -1;
}
