/*
 * The MySQL driver, for MariaDB Connector/C and Oracle's libmysqlclient: the
 * only file that includes mysql.h. User, password, socket and TLS come from
 * the option files, groups [client] and [simhash]. Never reconnects by itself:
 * that would resume in the middle of a transaction and keep half of it.
 * SPDX-License-Identifier: MIT
 */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "store/database.h"
#include "store/schema.h"

/* Error numbers of the server that matter here. */
#define SERVER_UNKNOWN_DATABASE 1049
#define SERVER_RECORD_CHANGED 1020 /* with innodb_snapshot_isolation */
#define SERVER_DUPLICATE_ENTRY 1062
#define SERVER_COLUMN_IS_THERE 1060
#define SERVER_KEY_IS_THERE 1061
#define SERVER_NO_SUCH_KEY 1091
#define SERVER_NO_SUCH_TABLE 1146
#define SERVER_LOCK_WAIT_TIMEOUT 1205
#define SERVER_DEADLOCK 1213

#define ROWS_PER_INSERT 32
#define COLUMN_BYTES 512 /* a first guess; longer values are fetched again */

#if defined(MARIADB_BASE_VERSION) || defined(MARIADB_VERSION_ID) || MYSQL_VERSION_ID < 80001
typedef my_bool mysql_bool;
#else
typedef bool mysql_bool;
#endif

struct database {
	MYSQL *handle;
	char name[512]; /* mysql://user@host:port/database, for messages */
};

struct column {
	bool is_integer;
	int64_t integer;
	char *data;
	unsigned long capacity, length;
	mysql_bool is_null, is_cut;
};

struct statement {
	struct database *database;
	MYSQL_STMT *handle;
	MYSQL_BIND *parameters;
	int64_t *integers; /* one for each parameter */
	MYSQL_BIND *results;
	struct column *columns;
	unsigned column_count;
	bool is_running;
};

static const char *const migrations[] = {sql_mysql_0001, sql_mysql_0002, sql_mysql_0003, NULL};

static int fail(const struct database *database, unsigned number, const char *message,
		struct simhash_error *error)
{
	enum simhash_error_code code = SIMHASH_E_DATABASE;
	const char *advice = "";

	if (number == SERVER_DUPLICATE_ENTRY || number == SERVER_COLUMN_IS_THERE ||
	    number == SERVER_KEY_IS_THERE || number == SERVER_NO_SUCH_KEY)
		code = SIMHASH_E_DUPLICATE;
	if (number == SERVER_NO_SUCH_TABLE)
		code = SIMHASH_E_SCHEMA;
	if (number == SERVER_LOCK_WAIT_TIMEOUT || number == SERVER_DEADLOCK ||
	    number == SERVER_RECORD_CHANGED)
		code = SIMHASH_E_RETRY;
	if (number == SERVER_UNKNOWN_DATABASE)
		advice = "; create it first: CREATE DATABASE ...";
	return error_set(error, code, "cannot use index %s: %s (error %u)%s", database->name,
			 message, number, advice);
}

static int fail_handle(const struct database *database, struct simhash_error *error)
{
	return fail(database, mysql_errno(database->handle), mysql_error(database->handle), error);
}

static int fail_statement(const struct statement *statement, struct simhash_error *error)
{
	return fail(statement->database, mysql_stmt_errno(statement->handle),
		    mysql_stmt_error(statement->handle), error);
}

static int execute(struct database *database, const char *sql, struct simhash_error *error)
{
	MYSQL_RES *result;

	if (mysql_query(database->handle, sql) != 0)
		return fail_handle(database, error);
	result = mysql_store_result(database->handle);
	if (result != NULL)
		mysql_free_result(result);
	else if (mysql_errno(database->handle) != 0)
		return fail_handle(database, error);
	return 0;
}

static void close_database(struct database *database)
{
	if (database->handle != NULL)
		mysql_close(database->handle);
	free(database);
}

static void name_database(struct database *database, const struct store_url *url)
{
	char port[16] = "";

	if (url->port != 0)
		snprintf(port, sizeof port, ":%u", url->port);
	snprintf(database->name, sizeof database->name, "mysql://%s%s%s%s/%s",
		 url->user != NULL ? url->user : "", url->user != NULL ? "@" : "",
		 url->host != NULL ? url->host : "", port, url->database);
}

#ifdef MARIADB_PACKAGE_VERSION
/* Did the option files ask for TLS in any way? */
static bool wants_tls(MYSQL *handle)
{
	static const enum mysql_option files[] = {MYSQL_OPT_SSL_CA, MYSQL_OPT_SSL_CAPATH,
						  MYSQL_OPT_SSL_CERT, MYSQL_OPT_SSL_KEY};
	mysql_bool enforce = 0, verify = 0;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *value = NULL;
		if (mysql_get_optionv(handle, files[i], (void *)&value) == 0 && value != NULL)
			return true;
	}
	mysql_get_optionv(handle, MYSQL_OPT_SSL_ENFORCE, (void *)&enforce);
	mysql_get_optionv(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, (void *)&verify);
	return enforce || verify;
}

/* MariaDB's library falls back to an open connection without a word. */
static int check_tls(const struct database *database, struct simhash_error *error)
{
	const char *info = mysql_get_host_info(database->handle);
	bool is_socket = info != NULL && strstr(info, "UNIX socket") != NULL;

	if (!is_socket && wants_tls(database->handle) &&
	    mysql_get_ssl_cipher(database->handle) == NULL)
		return error_set(
			error, SIMHASH_E_DATABASE,
			"cannot use index %s: the option files ask for TLS, and the server "
			"offers none",
			database->name);
	return 0;
}
#else
/* MySQL's library enforces ssl-mode itself. */
static int check_tls(const struct database *database, struct simhash_error *error)
{
	(void)database;
	(void)error;
	return 0;
}
#endif

static int configure(struct database *database, struct simhash_error *error)
{
	static const char *const settings[] = {
		/* A value that does not fit is an error, never cut. */
		"SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		/* A stream of rows may rest while files are compared. */
		"SET SESSION net_write_timeout = 86400",
		/* And a connection may, while a large file is scanned. */
		"SET SESSION wait_timeout = 2147483",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (execute(database, settings[i], error) != 0)
			return -1;
	return 0;
}

static int connect_handle(struct database *database, const struct store_url *url,
			  struct simhash_error *error)
{
	database->handle = mysql_init(NULL);
	if (database->handle == NULL)
		return error_set_memory(error);
	mysql_options(database->handle, MYSQL_READ_DEFAULT_GROUP, "simhash");
	mysql_options(database->handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (mysql_real_connect(database->handle, url->host, url->user, NULL, url->database,
			       url->port, NULL, 0) == NULL)
		return fail_handle(database, error);
#ifdef MARIADB_PACKAGE_VERSION
	{
		/* Should an option file have asked for it. */
		mysql_bool reconnect = 0;
		mysql_options(database->handle, MYSQL_OPT_RECONNECT, &reconnect);
	}
#endif
	if (check_tls(database, error) != 0)
		return -1;
	return configure(database, error);
}

static int open_database(const struct store_url *url, enum open_mode mode,
			 struct database **database, struct simhash_error *error)
{
	(void)mode;
	*database = calloc(1, sizeof **database);
	if (*database == NULL)
		return error_set_memory(error);
	name_database(*database, url);
	if (connect_handle(*database, url, error) != 0) {
		close_database(*database);
		*database = NULL;
		return -1;
	}
	return 0;
}

static const char *file(const struct database *database)
{
	(void)database;
	return NULL;
}

static void finalize(struct statement *statement)
{
	if (statement == NULL)
		return;
	if (statement->handle != NULL)
		mysql_stmt_close(statement->handle);
	for (unsigned i = 0; i < statement->column_count; i++)
		free(statement->columns[i].data);
	free(statement->columns);
	free(statement->results);
	free(statement->integers);
	free(statement->parameters);
	free(statement);
}

static bool is_integer_type(enum enum_field_types type)
{
	return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
	       type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG;
}

static void bind_column(struct column *column, MYSQL_BIND *result)
{
	memset(result, 0, sizeof *result);
	result->is_null = &column->is_null;
	result->error = &column->is_cut;
	result->length = &column->length;
	result->buffer_type = column->is_integer ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB;
	result->buffer = column->is_integer ? (void *)&column->integer : column->data;
	result->buffer_length = column->is_integer ? sizeof column->integer : column->capacity;
}

static int describe_columns(struct statement *statement, struct simhash_error *error)
{
	MYSQL_RES *metadata = mysql_stmt_result_metadata(statement->handle);
	unsigned count;

	if (metadata == NULL)
		return mysql_stmt_errno(statement->handle) != 0 ? fail_statement(statement, error)
								: 0;
	count = mysql_num_fields(metadata);
	statement->columns = calloc(count, sizeof *statement->columns);
	statement->results = calloc(count, sizeof *statement->results);
	if (statement->columns == NULL || statement->results == NULL) {
		mysql_free_result(metadata);
		return error_set_memory(error);
	}
	statement->column_count = count;
	for (unsigned i = 0; i < count; i++) {
		struct column *column = &statement->columns[i];
		column->is_integer = is_integer_type(mysql_fetch_field_direct(metadata, i)->type);
		column->capacity = COLUMN_BYTES;
		column->data = column->is_integer ? NULL : malloc(COLUMN_BYTES);
		if (!column->is_integer && column->data == NULL) {
			mysql_free_result(metadata);
			return error_set_memory(error);
		}
		bind_column(column, &statement->results[i]);
	}
	mysql_free_result(metadata);
	return 0;
}

static int prepare_handle(struct statement *statement, const char *sql, struct simhash_error *error)
{
	size_t parameters;

	statement->handle = mysql_stmt_init(statement->database->handle);
	if (statement->handle == NULL)
		return error_set_memory(error);
	if (mysql_stmt_prepare(statement->handle, sql, strlen(sql)) != 0)
		return fail_statement(statement, error);
	parameters = mysql_stmt_param_count(statement->handle);
	statement->parameters = calloc(parameters + 1, sizeof *statement->parameters);
	statement->integers = calloc(parameters + 1, sizeof *statement->integers);
	if (statement->parameters == NULL || statement->integers == NULL)
		return error_set_memory(error);
	return describe_columns(statement, error);
}

static int prepare(struct database *database, const char *sql, struct statement **statement,
		   struct simhash_error *error)
{
	*statement = calloc(1, sizeof **statement);
	if (*statement == NULL)
		return error_set_memory(error);
	(*statement)->database = database;
	if (prepare_handle(*statement, sql, error) != 0) {
		finalize(*statement);
		*statement = NULL;
		return -1;
	}
	return 0;
}

static void bind_integer(struct statement *statement, unsigned index, int64_t value)
{
	MYSQL_BIND *parameter = &statement->parameters[index];

	statement->integers[index] = value;
	parameter->buffer_type = MYSQL_TYPE_LONGLONG;
	parameter->buffer = &statement->integers[index];
}

/* The library takes a pointer to data that it will not change. */
static void bind_buffer(struct statement *statement, unsigned index, enum enum_field_types type,
			const void *data, size_t size)
{
	MYSQL_BIND *parameter = &statement->parameters[index];
	union {
		const void *read_only;
		void *writable;
	} pointer = {data};

	parameter->buffer_type = type;
	parameter->buffer = pointer.writable;
	parameter->buffer_length = size;
	parameter->length = NULL; /* buffer_length serves */
}

static void bind_bytes(struct statement *statement, unsigned index, const void *data, size_t size)
{
	bind_buffer(statement, index, MYSQL_TYPE_BLOB, size == 0 ? "" : data, size);
}

static void bind_text(struct statement *statement, unsigned index, const char *text)
{
	bind_buffer(statement, index, MYSQL_TYPE_STRING, text, strlen(text));
}

static int run(struct statement *statement, struct simhash_error *error)
{
	if (mysql_stmt_param_count(statement->handle) > 0 &&
	    mysql_stmt_bind_param(statement->handle, statement->parameters) != 0)
		return fail_statement(statement, error);
	if (mysql_stmt_execute(statement->handle) != 0)
		return fail_statement(statement, error);
	if (statement->column_count > 0 &&
	    mysql_stmt_bind_result(statement->handle, statement->results) != 0)
		return fail_statement(statement, error);
	statement->is_running = true;
	return 0;
}

/* Fetch again what did not fit, into a larger buffer that stays. */
static int fetch_long_columns(struct statement *statement, struct simhash_error *error)
{
	bool has_grown = false;

	for (unsigned i = 0; i < statement->column_count; i++) {
		struct column *column = &statement->columns[i];
		char *data;
		if (column->is_integer || column->length <= column->capacity)
			continue;
		data = realloc(column->data, column->length);
		if (data == NULL)
			return error_set_memory(error);
		column->data = data;
		column->capacity = column->length;
		bind_column(column, &statement->results[i]);
		if (mysql_stmt_fetch_column(statement->handle, &statement->results[i], i, 0) != 0)
			return fail_statement(statement, error);
		has_grown = true;
	}
	if (has_grown && mysql_stmt_bind_result(statement->handle, statement->results) != 0)
		return fail_statement(statement, error);
	return 0;
}

static int step(struct statement *statement, struct simhash_error *error)
{
	if (!statement->is_running && run(statement, error) != 0)
		return -1;
	if (statement->column_count == 0)
		return 0;
	switch (mysql_stmt_fetch(statement->handle)) {
	case MYSQL_NO_DATA:
		return 0;
	case 0: /* an option file can turn the report of cut columns off */
	case MYSQL_DATA_TRUNCATED:
		return fetch_long_columns(statement, error) != 0 ? -1 : 1;
	default:
		return fail_statement(statement, error);
	}
}

static int64_t column_integer(struct statement *statement, unsigned index)
{
	const struct column *column = &statement->columns[index];

	return column->is_null || !column->is_integer ? 0 : column->integer;
}

static struct bytes column_bytes(struct statement *statement, unsigned index)
{
	const struct column *column = &statement->columns[index];

	if (column->is_null || column->is_integer)
		return (struct bytes){"", 0};
	return (struct bytes){column->data, column->length};
}

static int64_t changes(struct statement *statement)
{
	return (int64_t)mysql_stmt_affected_rows(statement->handle);
}

static void reset(struct statement *statement)
{
	if (statement->is_running)
		mysql_stmt_free_result(statement->handle);
	statement->is_running = false;
}

const struct database_driver mysql_driver = {
	.scheme = "mysql",
	.migrations = migrations,
	.count_tables = "SELECT COUNT(*) FROM information_schema.tables "
			"WHERE table_schema = DATABASE()",
	.index_bytes = "SELECT CAST(SUM(data_length + index_length) AS SIGNED) "
		       "FROM information_schema.tables "
		       "WHERE table_schema = DATABASE()",
	.begin = "START TRANSACTION",
	.has_excluded = false,
	.rows_per_insert = ROWS_PER_INSERT,
	.rows_per_transaction = 8192,
	.open = open_database,
	.close = close_database,
	.file = file,
	.execute = execute,
	.prepare = prepare,
	.bind_integer = bind_integer,
	.bind_text = bind_text,
	.bind_bytes = bind_bytes,
	.step = step,
	.column_integer = column_integer,
	.column_bytes = column_bytes,
	.changes = changes,
	.reset = reset,
	.finalize = finalize,
};
