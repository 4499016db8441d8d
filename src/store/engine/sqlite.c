/*
 * Implements the SQLite driver: opens an index in one file and runs its statements. Only this file
 * and the files named after it include sqlite3.h. sqlite_file.c makes the file, and sqlite_log.c
 * handles the write-ahead log.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/engine/database.h"
#include "store/engine/scripts.h"
#include "store/engine/sqlite_error.h"
#include "store/engine/sqlite_file.h"
#include "store/engine/sqlite_functions.h"
#include "store/engine/sqlite_log.h"

#define ROW_BYTES_MAX (64 << 20) /* much more than the longest path of any system */

struct database {
	sqlite3 *handle;
	char *path;
	/*
	 * If the file is opened as if nobody writes to it: its path without links; otherwise NULL.
	 */
	char *unshared;
	struct stat opened; /* the status of that file */
	/* The kind of network file system, where SQLite uses no log; otherwise NULL. */
	const char *network;
	bool has_log_afar; /* on a network file system with a log, which a reader ignores */
	struct sqlite_wait wait;
	struct store_calls *calls;
};

struct statement {
	struct database *database;
	sqlite3_stmt *handle;
};

/* clang-format off */
static const char *const migrations[] = {
	sql_sqlite_0001, sql_sqlite_0002, sql_sqlite_0003, sql_sqlite_0004, sql_sqlite_0005, sql_sqlite_0006,
	sql_sqlite_0007, sql_sqlite_0008, sql_sqlite_0009, sql_sqlite_0010, sql_sqlite_0011, sql_sqlite_0012,
	sql_sqlite_0013, sql_sqlite_0014, sql_sqlite_0015, sql_sqlite_0016, sql_sqlite_0017, sql_sqlite_0018, sql_sqlite_0019, sql_sqlite_0020, sql_sqlite_0021, sql_sqlite_0022, NULL};
/* clang-format on */

static int fail(const struct database *database, const char *what, struct simhash_error *error)
{
	return sqlite_error_set(database->handle, database->path, what, error);
}

/* Was an unshared database written to, or replaced, since it was opened? */
static bool has_changed(const struct database *database)
{
	const struct stat *opened = &database->opened;
	struct stat now;

	return database->unshared != NULL &&
	       (stat(database->unshared, &now) != 0 || now.st_ino != opened->st_ino ||
		now.st_dev != opened->st_dev || now.st_size != opened->st_size ||
		stat_mtime_ns(&now) != stat_mtime_ns(opened));
}

static int fail_changed(const struct database *database, struct simhash_error *error)
{
	return error_set(
		error, SIMHASH_E_DATABASE,
		"index sqlite:%s changed while it was read: run again; it cannot be locked%s",
		database->path, database->has_log_afar ? "" : ": its folder is not writable");
}

static int execute(struct database *database, const char *sql, struct simhash_error *error)
{
	int code;

	store_call_begins(database->calls);
	code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
	store_call_ends(database->calls);
	return code == SQLITE_OK ? 0 : fail(database, "cannot use", error);
}

static void close_database(struct database *database)
{
	struct store_calls *calls = database->calls;

	/* the last connection that closes writes the log into the database */
	store_call_begins(calls);
	sqlite3_close(database->handle);
	store_call_ends(calls);
	free(database->path);
	free(database->unshared);
	free(database);
}

static const char *file(const struct database *database)
{
	const char *resolved = sqlite3_db_filename(database->handle, "main");

	return resolved == NULL || resolved[0] == '\0' ? database->path : resolved;
}

/* The views show columns of bytes as text, which is correct only if both are UTF-8. */
static int check_encoding(const struct database *database, const char *encoding,
			  struct simhash_error *error)
{
	if (encoding == NULL)
		return error_set_memory(error);
	if (strcmp(encoding, "UTF-8") == 0)
		return 0;
	return error_set(error, SIMHASH_E_SCHEMA,
			 "cannot use index sqlite:%s: the text in this database is %s, and an "
			 "index needs UTF-8; name a file that does not exist, and simhash makes it",
			 database->path, encoding);
}

/*
 * Read the database for the first time. This fails for a file that is not a database. *is_ours
 * becomes true if it is empty, or has our table of versions.
 */
static int check_format(struct database *database, bool *is_ours, struct simhash_error *error)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->handle,
				      "SELECT count(*) = 0 OR sum(name = 'schema_version') > 0, "
				      "(SELECT encoding FROM pragma_encoding) FROM sqlite_master",
				      -1, &statement, NULL);
	int status = -1;

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	*is_ours = code == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
	if (code == SQLITE_NOTADB)
		error_set(error, SIMHASH_E_SCHEMA,
			  "cannot open index sqlite:%s: not an SQLite database", database->path);
	else if (code != SQLITE_ROW)
		fail(database, "cannot read", error);
	else
		status = check_encoding(database, (const char *)sqlite3_column_text(statement, 1),
					error);
	sqlite3_finalize(statement);
	return status;
}

/*
 * An index may come from anybody, so nothing in it may run: no triggers, no views in place of
 * tables, and only functions without side effects.
 */
static int distrust(struct database *database, struct simhash_error *error)
{
	static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
				  SQLITE_DBCONFIG_TRUSTED_SCHEMA};

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if (sqlite3_db_config(database->handle, off[i], 0, NULL) != SQLITE_OK)
			return fail(database, "cannot open", error);
	if (sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK)
		return fail(database, "cannot open", error);
	sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, ROW_BYTES_MAX);
	return 0;
}

/*
 * Check that our tables are plain tables, whose columns contain stored values and compute nothing.
 */
static int check_tables(struct database *database, struct simhash_error *error)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(
		database->handle,
		"SELECT m.name FROM sqlite_master m WHERE m.name IN ('schema_version', "
		"'tag_set', 'tag', 'host', 'scan_run', 'directory', 'file', 'size_class', "
		"'measure', 'sketch') "
		"AND (m.type <> 'table' OR m.rootpage = 0 OR EXISTS "
		"(SELECT 1 FROM pragma_table_xinfo(m.name) c WHERE c.hidden <> 0))",
		-1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		error_set(
			error, SIMHASH_E_SCHEMA,
			"sqlite:%s is not an index of simhash: table %s in it is not a plain table",
			database->path, (const char *)sqlite3_column_text(statement, 0));
	else if (code != SQLITE_DONE)
		fail(database, "cannot read", error);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE ? 0 : -1;
}

/* On a network file system, a writer removes the log, and a reader reads only the file. */
static int check_format_with_log(struct database *database, int flags, bool *is_ours,
				 struct simhash_error *error)
{
	int status;

	database->has_log_afar = (flags & SQLITE_OPEN_READWRITE) == 0 ||
				 sqlite3_db_readonly(database->handle, "main") != 0;
	if (database->has_log_afar)
		return error_set(error, SIMHASH_E_DATABASE, "its log cannot be shared");
	status = sqlite_log_take(database->handle, database->path, error);
	if (status == 0)
		status = check_format(database, is_ours, error);
	if (status == 0 && *is_ours)
		status = sqlite_log_leave(database->handle, database->path, error);
	if (status == 0 || error->code != ERROR_RETRY)
		return status;
	return error_set(error, SIMHASH_E_DATABASE,
			 "cannot use index sqlite:%s: it has a write-ahead log, which is not safe "
			 "on a network file system (%s), and other programs use it now: end them, "
			 "and run simhash again",
			 database->path, database->network);
}

/* Open the file and read it for the first time. If it cannot be opened, the handle is NULL. */
static int open_and_read(struct database *database, const char *name, int flags, bool *is_ours,
			 struct simhash_error *error)
{
	int code = sqlite3_open_v2(name, &database->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);

	if (database->handle == NULL)
		return error_set_memory(error);
	if (code != SQLITE_OK) {
		int system_errno = sqlite3_system_errno(database->handle);
		error_set(error, SIMHASH_E_DATABASE, "cannot open index sqlite:%s: %s",
			  database->path,
			  system_errno != 0 ? strerror(system_errno)
					    : sqlite3_errmsg(database->handle));
		sqlite3_close(database->handle);
		database->handle = NULL;
		return -1;
	}
	sqlite_wait_begin(database->handle, &database->wait);
	if (sqlite_functions_add(database->handle) != SQLITE_OK)
		return fail(database, "cannot use", error);
	if (distrust(database, error) != 0)
		return -1;
	if (database->network == NULL || database->unshared != NULL)
		return check_format(database, is_ours, error);
	if (sqlite_log_is_used(database->handle) &&
	    check_format_with_log(database, flags, is_ours, error) != 0)
		return -1;
	sqlite_wait_longer(&database->wait);
	return check_format(database, is_ours, error);
}

/*
 * If other programs may write to a database, SQLite needs a second file next to it, even to read.
 * It cannot create that file in another user's folder, on a read-only medium or on a full disk.
 */
static bool cannot_share(const struct database *database)
{
	if (database->has_log_afar)
		return true;
	switch (sqlite3_extended_errcode(database->handle)) {
	case SQLITE_READONLY_ROLLBACK: /* another program left an unfinished transaction */
	case SQLITE_READONLY_DBMOVED:
		return false;
	case SQLITE_IOERR_SHMOPEN:
	case SQLITE_IOERR_SHMSIZE:
	case SQLITE_IOERR_SHMMAP:
		return true;
	default:
		return sqlite3_errcode(database->handle) == SQLITE_CANTOPEN ||
		       sqlite3_errcode(database->handle) == SQLITE_READONLY ||
		       sqlite3_errcode(database->handle) == SQLITE_FULL;
	}
}

static int fail_to_write(const struct database *database, const char *why,
			 struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_DATABASE,
			 "cannot write to index sqlite:%s: the file and its folder must be "
			 "writable (%s)",
			 database->path, why);
}

/* Explain that this database cannot be written, because it cannot be shared. */
static int explain_not_shared(const struct database *database, struct simhash_error *error)
{
	int code = sqlite3_errcode(database->handle);

	if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)
		return fail_to_write(database, sqlite3_errmsg(database->handle), error);
	return error_set(error, SIMHASH_E_DATABASE,
			 "cannot write to index sqlite:%s: there may be no room for the files that "
			 "SQLite keeps next to it (%s)",
			 database->path, sqlite3_errmsg(database->handle));
}

/* Is there a non-empty file with this ending next to the database? True if unknown. */
static int has_beside(const struct database *database, const char *ending, bool *is_there,
		      struct simhash_error *error)
{
	size_t size = strlen(database->unshared) + strlen(ending) + 1;
	char *name = malloc(size);
	struct stat status;

	if (name == NULL)
		return error_set_memory(error);
	snprintf(name, size, "%s%s", database->unshared, ending);
	*is_there = stat(name, &status) == 0 ? status.st_size > 0 : errno != ENOENT;
	free(name);
	return 0;
}

/* Check that no changes are waiting to be written into the file, or to be rolled back. */
static int check_alone(const struct database *database, struct simhash_error *error)
{
	static const char *const endings[] = {"-wal", "-journal"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		bool is_there;
		if (has_beside(database, endings[i], &is_there, error) != 0)
			return -1;
		if (is_there)
			return error_set(
				error, SIMHASH_E_SYSTEM,
				"cannot read index sqlite:%s: its newest rows are in %s%s, from a "
				"run that has not ended or was interrupted; %s",
				database->path, database->unshared, endings[i],
				database->has_log_afar
					? "on a network file system only simhash --init-database "
					  "or another run adds them"
					: "reading them requires write permission in that folder");
	}
	return 0;
}

/*
 * Read a database without a second file. Other programs may write to it, so the end of each query
 * checks this. Rows that a writer has only in its log do no harm: the file alone is the previous
 * state of the index. `beside` is an earlier connection that was opened in this way; both must read
 * the same file.
 */
static int open_unshared(struct database *database, const struct database *beside, bool *is_ours,
			 struct simhash_error *error)
{
	char *uri;
	int status;

	database->unshared = strdup(beside != NULL ? beside->unshared
						   : sqlite3_db_filename(database->handle, "main"));
	if (database->unshared == NULL)
		return error_set_memory(error);
	if (beside != NULL)
		database->opened = beside->opened;
	else if (stat(database->unshared, &database->opened) != 0)
		return error_set_errno(error, "cannot open index sqlite:%s", database->path);
	else if (check_alone(database, error) != 0)
		return -1;
	uri = sqlite_file_uri(database->unshared);
	if (uri == NULL)
		return error_set_memory(error);
	sqlite3_close(database->handle);
	database->handle = NULL;
	status = open_and_read(database, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, is_ours,
			       error);
	free(uri);
	return status == 0 && has_changed(database) ? fail_changed(database, error) : status;
}

static int open_or_unshare(struct database *database, enum open_mode mode,
			   const struct database *beside, bool *is_ours,
			   struct simhash_error *error)
{
	int flags = mode == OPEN_TO_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;

	if (beside != NULL && beside->unshared != NULL)
		return open_unshared(database, beside, is_ours, error);
	if (open_and_read(database, database->path, flags, is_ours, error) == 0)
		return mode != OPEN_TO_READ && sqlite3_db_readonly(database->handle, "main") == 1
			       ? fail_to_write(database, "the file is not", error)
			       : 0;
	if (database->handle == NULL || !cannot_share(database))
		return -1;
	if (mode != OPEN_TO_READ)
		return explain_not_shared(database, error);
	/* Either all connections of a program are shared, or none of them. */
	return beside == NULL ? open_unshared(database, NULL, is_ours, error) : -1;
}

/*
 * The page size of a new database gives room for about 16 rows, because the rows of a directory are
 * read together.
 */
static int prepare_to_write(struct database *database, struct simhash_error *error)
{
	if (execute(database, "PRAGMA page_size = 8192", error) != 0)
		return -1;
	return database->network != NULL
		       ? 0
		       : sqlite_log_use(database->handle, database->path, &database->wait, error);
}

static int open_handle(struct database *database, enum open_mode mode,
		       const struct database *beside, struct simhash_error *error)
{
	bool is_ours;

	if (open_or_unshare(database, mode, beside, &is_ours, error) != 0 ||
	    check_tables(database, error) != 0 ||
	    execute(database,
		    mode != OPEN_TO_READ ? "PRAGMA cache_size = -32768"
					 : "PRAGMA cache_size = -2048",
		    error) != 0)
		return -1;
	/*
	 * A database that is not ours is rejected later by the schema, and must not be changed
	 * before.
	 */
	return mode != OPEN_TO_READ && is_ours ? prepare_to_write(database, error) : 0;
}

static int open_database(const struct store_url *url, const struct store_location *where,
			 enum open_mode mode, const struct database *beside,
			 struct database **database, struct simhash_error *error)
{
	int status;

	*database = NULL;
	status = mode == OPEN_TO_READ ? 0 : sqlite_file_make(url->path, error);
	if (status == 0)
		status = sqlite_file_check(url->path, error);
	if (status != 0)
		return -1;
	sqlite_file_warn_of_names(where, url->path);
	*database = calloc(1, sizeof **database);
	if (*database == NULL)
		return error_set_memory(error);
	(*database)->path = sqlite_file_name(url->path);
	(*database)->network = network_file_system(url->path);
	(*database)->wait.stop = where->stop;
	(*database)->calls = where->disk_calls;
	store_call_begins(where->disk_calls);
	status = (*database)->path == NULL ? error_set_memory(error)
					   : open_handle(*database, mode, beside, error);
	store_call_ends(where->disk_calls);
	if (status == 0) {
		sqlite_file_warn_of_network(where, (*database)->path, (*database)->network);
		return 0;
	}
	close_database(*database);
	*database = NULL;
	return -1;
}

static bool readers_block(const struct database *database)
{
	return database->network != NULL;
}

static int prepare(struct database *database, const char *sql, struct statement **statement,
		   struct simhash_error *error)
{
	*statement = calloc(1, sizeof **statement);
	if (*statement == NULL)
		return error_set_memory(error);
	(*statement)->database = database;
	if (sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
			       &(*statement)->handle, NULL) == SQLITE_OK)
		return 0;
	sqlite_error_set_query(database->handle, database->path, error);
	free(*statement);
	*statement = NULL;
	return -1;
}

static void bind_test(struct statement *statement, unsigned index, struct row_test *test)
{
	sqlite3_bind_pointer(statement->handle, (int)index + 1, test, ROW_TEST, NULL);
}

/* Binding fails only if the index is out of range or memory is short; then step fails as well. */
static void bind_integer(struct statement *statement, unsigned index, int64_t value)
{
	sqlite3_bind_int64(statement->handle, (int)index + 1, value);
}

static void bind_text(struct statement *statement, unsigned index, const char *text)
{
	sqlite3_bind_text(statement->handle, (int)index + 1, text, -1, SQLITE_STATIC);
}

static void bind_bytes(struct statement *statement, unsigned index, const void *data, size_t size)
{
	/* A NULL pointer would bind NULL, but an empty extension is not NULL. */
	sqlite3_bind_blob64(statement->handle, (int)index + 1, size == 0 ? "" : data, size,
			    SQLITE_STATIC);
}

static void bind_null(struct statement *statement, unsigned index)
{
	sqlite3_bind_null(statement->handle, (int)index + 1);
}

static int step(struct statement *statement, struct simhash_error *error)
{
	int code;

	store_call_begins(statement->database->calls);
	code = sqlite3_step(statement->handle);
	store_call_ends(statement->database->calls);
	switch (code) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return has_changed(statement->database) ? fail_changed(statement->database, error)
							: 0;
	default:
		if (has_changed(statement->database))
			fail_changed(statement->database, error);
		else
			sqlite_error_set_query(statement->database->handle,
					       statement->database->path, error);
		sqlite3_reset(statement->handle);
		return -1;
	}
}

static int64_t column_integer(struct statement *statement, unsigned index)
{
	return sqlite3_column_int64(statement->handle, (int)index);
}

static struct bytes column_bytes(struct statement *statement, unsigned index)
{
	const char *data = sqlite3_column_blob(statement->handle, (int)index);

	return (struct bytes){data == NULL ? "" : data,
			      (size_t)sqlite3_column_bytes(statement->handle, (int)index)};
}

static bool column_is_null(struct statement *statement, unsigned index)
{
	return sqlite3_column_type(statement->handle, (int)index) == SQLITE_NULL;
}

static void reset(struct statement *statement)
{
	sqlite3_reset(statement->handle);
}

static void finalize(struct statement *statement)
{
	if (statement == NULL)
		return;
	sqlite3_finalize(statement->handle);
	free(statement);
}

static const char *const begin_view[] = {"BEGIN", NULL};

const struct database_driver sqlite_driver = {
	.scheme = "sqlite",
	.migrations = migrations,
	.views = sql_sqlite_views,
	.before_load = sql_sqlite_before_load,
	.after_load = sql_sqlite_after_load,
	.count_tables = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
	.index_bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
	.begin = "BEGIN IMMEDIATE",
	.begin_reading = "BEGIN", /* the file is locked once instead of for each query */
	.begin_view = begin_view,
	.readers_block = readers_block,
	.state = "PRAGMA data_version",
	.has_excluded = true,
	.release_memory = "PRAGMA shrink_memory",
	.question_cost = 2,
	.outline_is_near = " AND outline_is_near(outline_00, outline_08, ?)",
	.row_passes = "row_passes",
	.has_row_numbers = true,
	.bind_test = bind_test,
	.rows_per_insert = 1,
	.rows_per_transaction = 16384,
	.open = open_database,
	.close = close_database,
	.file = file,
	.execute = execute,
	.prepare = prepare,
	.bind_integer = bind_integer,
	.bind_text = bind_text,
	.bind_bytes = bind_bytes,
	.bind_null = bind_null,
	.step = step,
	.column_integer = column_integer,
	.column_bytes = column_bytes,
	.column_is_null = column_is_null,
	.reset = reset,
	.finalize = finalize,
};
