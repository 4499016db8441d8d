/*
 * Implements the MySQL driver: runs statements and fetches their rows with MariaDB Connector/C or
 * Oracle's libmysqlclient. The client library never reconnects, because it would continue in the
 * middle of a transaction and keep half of it. mysql_connect.c connects.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/basic/error.h"
#include "store/engine/database.h"
#include "store/engine/mysql_connect.h"
#include "store/engine/scripts.h"

#define ROWS_PER_INSERT 32
#define ROWS_PER_ARRAY 1024
#define COLUMN_BYTES 512 /* the first size of a buffer; longer values are fetched again */

struct database {
	MYSQL *handle;
	char name[MYSQL_NAME_SIZE];
	bool logs_statements;
	struct store_calls *calls;
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
	unsigned parameter_count;
	/* The values of each parameter in all rows. Most statements have only one row. */
	unsigned row_room, rows_bound;
	int64_t *integers;
	char **buffers;
	unsigned long *lengths;
	mysql_bool *is_null;
	MYSQL_BIND *results;
	struct column *columns;
	unsigned column_count;
	bool is_running;
};

/* clang-format off */
static const char *const migrations[] = {
	sql_mysql_0001, sql_mysql_0002, sql_mysql_0003, sql_mysql_0004, sql_mysql_0005, sql_mysql_0006,
	sql_mysql_0007, sql_mysql_0008, sql_mysql_0009, sql_mysql_0010, sql_mysql_0011, sql_mysql_0012,
	sql_mysql_0013, sql_mysql_0014, sql_mysql_0015, sql_mysql_0016, sql_mysql_0017, sql_mysql_0018, sql_mysql_0019, sql_mysql_0020, sql_mysql_0021, sql_mysql_0022, NULL};
/* clang-format on */

static void begin_call(const struct database *database)
{
	store_call_begins(database->calls);
}

static void end_call(const struct database *database)
{
	store_call_ends(database->calls);
}

static int fail(const struct database *database, unsigned number, const char *message,
		struct simhash_error *error)
{
	/*
	 * If memory is short, MariaDB's library may leave part of an answer unread, and then wait
	 * for the rest forever. It does not wait on a closed connection.
	 */
	if (number == LIBRARY_OUT_OF_MEMORY)
		shutdown(library_socket(database->handle), SHUT_RDWR);
	return fail_mysql(database->name, number, message, error);
}

static int fail_handle(const struct database *database, struct simhash_error *error)
{
	return fail(database, mysql_errno(database->handle), mysql_error(database->handle), error);
}

static int fail_statement(const struct statement *statement, struct simhash_error *error)
{
	/* If reading a stream fails, MariaDB's library stores the error in the connection. */
	if (mysql_stmt_errno(statement->handle) == 0)
		return fail_handle(statement->database, error);
	return fail(statement->database, mysql_stmt_errno(statement->handle),
		    mysql_stmt_error(statement->handle), error);
}

/*
 * Does the statement only begin or end a transaction, or set something? Others may take long: a
 * change of the schema writes all rows of a table.
 */
static bool is_brief(const char *sql)
{
	static const char *const words[] = {"START", "COMMIT", "ROLLBACK", "SET"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(sql, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* Run a statement and wait without a time limit, as long as the connection lives. */
static int run_long(struct database *database, const char *sql)
{
	struct pollfd answer = {.fd = library_socket(database->handle), .events = POLLIN};

	if (mysql_send_query(database->handle, sql, strlen(sql)) != 0)
		return -1;
	while (poll(&answer, 1, -1) < 0 && errno == EINTR)
		;
	return mysql_read_query_result(database->handle) ? -1 : 0;
}

static int query(struct database *database, const char *sql, struct simhash_error *error)
{
	MYSQL_RES *result;
	int status = is_brief(sql) ? mysql_query(database->handle, sql) : run_long(database, sql);

	if (status != 0)
		return fail_handle(database, error);
	result = mysql_store_result(database->handle);
	if (result != NULL)
		mysql_free_result(result);
	else if (mysql_errno(database->handle) != 0)
		return fail_handle(database, error);
	return 0;
}

static int execute(struct database *database, const char *sql, struct simhash_error *error)
{
	int status;

	begin_call(database);
	status = query(database, sql, error);
	end_call(database);
	return status;
}

static void close_database(struct database *database)
{
	begin_call(database);
	if (database->handle != NULL)
		mysql_close(database->handle);
	end_call(database);
	free(database);
}

/* Connect, and find out whether the server logs statements or rows. */
static int reach(struct database *database, const struct store_url *url,
		 const struct store_location *where, enum open_mode mode,
		 struct simhash_error *error)
{
	int status;

	begin_call(database);
	status = connect_mysql(url, where, mode, database->name, &database->handle, error);
	if (status == 0)
		status = mysql_logs_statements(database->handle, database->name,
					       &database->logs_statements, error);
	end_call(database);
	return status;
}

static int open_database(const struct store_url *url, const struct store_location *where,
			 enum open_mode mode, const struct database *beside,
			 struct database **database, struct simhash_error *error)
{
	(void)beside;
	*database = calloc(1, sizeof **database);
	if (*database == NULL)
		return error_set_memory(error);
	name_mysql(url, (*database)->name);
	(*database)->calls = where->calls;
	if (reach(*database, url, where, mode, error) == 0 &&
	    (!(*database)->logs_statements ||
	     execute(*database, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", error) ==
		     0))
		return 0;
	close_database(*database);
	*database = NULL;
	return -1;
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
	begin_call(statement->database);
	if (statement->handle != NULL)
		mysql_stmt_close(statement->handle);
	end_call(statement->database);
	for (unsigned i = 0; i < statement->column_count; i++)
		free(statement->columns[i].data);
	free(statement->columns);
	free(statement->results);
	free(statement->integers);
	free(statement->buffers);
	free(statement->lengths);
	free(statement->is_null);
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

static unsigned array_rows(const struct database *database)
{
	return library_takes_arrays(database->handle) && !database->logs_statements ? ROWS_PER_ARRAY
										    : 0;
}

/* Forgets all bound values. */
static int set_rows(struct statement *statement, unsigned rows, struct simhash_error *error)
{
	size_t values = (size_t)statement->parameter_count * rows + 1;

	free(statement->integers);
	free(statement->buffers);
	free(statement->lengths);
	free(statement->is_null);
	statement->integers = calloc(values, sizeof *statement->integers);
	statement->buffers = calloc(values, sizeof *statement->buffers);
	statement->lengths = calloc(values, sizeof *statement->lengths);
	statement->is_null = calloc(values, sizeof *statement->is_null);
	statement->row_room = rows;
	statement->rows_bound = 0;
	return statement->integers == NULL || statement->buffers == NULL ||
			       statement->lengths == NULL || statement->is_null == NULL
		       ? error_set_memory(error)
		       : 0;
}

static int prepare_handle(struct statement *statement, const char *sql, struct simhash_error *error)
{
	statement->handle = mysql_stmt_init(statement->database->handle);
	if (statement->handle == NULL)
		return error_set_memory(error);
	if (mysql_stmt_prepare(statement->handle, sql, strlen(sql)) != 0)
		return fail_statement(statement, error);
	statement->parameter_count = (unsigned)mysql_stmt_param_count(statement->handle);
	statement->parameters =
		calloc(statement->parameter_count + 1, sizeof *statement->parameters);
	if (statement->parameters == NULL)
		return error_set_memory(error);
	if (set_rows(statement, 1, error) != 0)
		return -1;
	return describe_columns(statement, error);
}

static int prepare(struct database *database, const char *sql, struct statement **statement,
		   struct simhash_error *error)
{
	int status;

	*statement = calloc(1, sizeof **statement);
	if (*statement == NULL)
		return error_set_memory(error);
	(*statement)->database = database;
	begin_call(database);
	status = prepare_handle(*statement, sql, error);
	end_call(database);
	if (status != 0) {
		finalize(*statement);
		*statement = NULL;
		return -1;
	}
	return 0;
}

/* Find the parameter of value `index` of all rows, and its place in the arrays of values. */
static MYSQL_BIND *find_value(struct statement *statement, unsigned index, size_t *place)
{
	unsigned parameter = index % statement->parameter_count;
	unsigned row = index / statement->parameter_count;

	*place = (size_t)parameter * statement->row_room + row;
	if (parameter == 0)
		statement->rows_bound = row + 1;
	return &statement->parameters[parameter];
}

static void bind_integer(struct statement *statement, unsigned index, int64_t value)
{
	size_t place;
	MYSQL_BIND *parameter = find_value(statement, index, &place);

	statement->integers[place] = value;
	statement->is_null[place] = 0;
	parameter->buffer_type = MYSQL_TYPE_LONGLONG;
	parameter->length = NULL;
}

/* Casts away const, because the library takes a plain pointer. It does not change the data. */
static void bind_buffer(struct statement *statement, unsigned index, enum enum_field_types type,
			const void *data, size_t size)
{
	size_t place;
	MYSQL_BIND *parameter = find_value(statement, index, &place);
	union {
		const void *read_only;
		void *writable;
	} pointer = {data};

	statement->buffers[place] = pointer.writable;
	statement->lengths[place] = size;
	statement->is_null[place] = 0;
	parameter->buffer_type = type;
	parameter->buffer_length = size;
	parameter->length = &statement->lengths[place - place % statement->row_room];
}

/*
 * Pass the values to the library: one for each parameter, or an array with the values of all rows.
 */
static int bind_values(struct statement *statement, struct simhash_error *error)
{
	bool is_array = statement->row_room > 1;

	if (statement->parameter_count == 0)
		return 0;
	for (unsigned i = 0; i < statement->parameter_count; i++) {
		MYSQL_BIND *parameter = &statement->parameters[i];
		size_t first = (size_t)i * statement->row_room;
		if (parameter->buffer_type == MYSQL_TYPE_LONGLONG)
			parameter->buffer = &statement->integers[first];
		else
			parameter->buffer = is_array ? (void *)&statement->buffers[first]
						     : statement->buffers[first];
		library_set_nulls(parameter, &statement->is_null[first]);
	}
	if ((is_array && library_set_array(statement->handle, statement->rows_bound) != 0) ||
	    mysql_stmt_bind_param(statement->handle, statement->parameters) != 0)
		return fail_statement(statement, error);
	return 0;
}

static void bind_bytes(struct statement *statement, unsigned index, const void *data, size_t size)
{
	bind_buffer(statement, index, MYSQL_TYPE_BLOB, size == 0 ? "" : data, size);
}

static void bind_null(struct statement *statement, unsigned index)
{
	size_t place;

	bind_bytes(statement, index, "", 0);
	find_value(statement, index, &place);
	statement->is_null[place] = 1;
}

static void bind_text(struct statement *statement, unsigned index, const char *text)
{
	bind_buffer(statement, index, MYSQL_TYPE_STRING, text, strlen(text));
}

static int run(struct statement *statement, struct simhash_error *error)
{
	if (bind_values(statement, error) != 0)
		return -1;
	if (mysql_stmt_execute(statement->handle) != 0)
		return fail_statement(statement, error);
	if (statement->column_count > 0 &&
	    mysql_stmt_bind_result(statement->handle, statement->results) != 0)
		return fail_statement(statement, error);
	statement->is_running = true;
	return 0;
}

/* Fetch values that did not fit again, into larger buffers, which are kept. */
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

static int fetch(struct statement *statement, struct simhash_error *error)
{
	if (!statement->is_running && run(statement, error) != 0)
		return -1;
	if (statement->column_count == 0)
		return 0;
	switch (mysql_stmt_fetch(statement->handle)) {
	case MYSQL_NO_DATA:
		return 0;
	case 0: /* an option file can disable the report of truncated columns */
	case MYSQL_DATA_TRUNCATED:
		return fetch_long_columns(statement, error) != 0 ? -1 : 1;
	default:
		return fail_statement(statement, error);
	}
}

static int step(struct statement *statement, struct simhash_error *error)
{
	int status;

	begin_call(statement->database);
	status = fetch(statement, error);
	end_call(statement->database);
	return status;
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

static bool column_is_null(struct statement *statement, unsigned index)
{
	return statement->columns[index].is_null;
}

static void reset(struct statement *statement)
{
	begin_call(statement->database);
	if (statement->is_running)
		mysql_stmt_free_result(statement->handle);
	end_call(statement->database);
	statement->is_running = false;
}

/* With the weaker default of some servers, each query would see another state. */
static const char *const begin_view[] = {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
					 "START TRANSACTION WITH CONSISTENT SNAPSHOT", NULL};

const struct database_driver mysql_driver = {
	.scheme = "mysql",
	.migrations = migrations,
	.views = sql_mysql_views,
	.as_text = sql_mysql_text,
	.count_tables = "SELECT COUNT(*) FROM information_schema.tables "
			"WHERE table_schema = DATABASE()",
	.index_bytes = "SELECT CAST(SUM(data_length + index_length) AS SIGNED) "
		       "FROM information_schema.tables "
		       "WHERE table_schema = DATABASE()",
	.begin = "START TRANSACTION",
	.max_statement_bytes = "SELECT @@max_allowed_packet",
	/*
	 * Spider sends arrays to other servers row by row, and each of these servers has its own
	 * views.
	 */
	.rows_are_own = "SELECT COUNT(*) FROM information_schema.tables "
			"WHERE table_schema = DATABASE() AND table_name = 'file' "
			"AND engine = 'InnoDB'",
	.partitions = "SELECT MIN(partition_ordinal_position) AS number, partition_name "
		      "FROM information_schema.partitions "
		      "WHERE table_schema = DATABASE() AND table_name = 'file' "
		      "AND partition_name IS NOT NULL GROUP BY partition_name ORDER BY number",
	.begin_view = begin_view,
	.state = "SELECT CAST(SUM(commits) AS SIGNED) FROM commit_count",
	.state_is_of_all = true,
	.count_commit =
		"INSERT INTO commit_count(writer, commits) VALUES (CONNECTION_ID() % 64, 1) "
		"ON DUPLICATE KEY UPDATE commits = commits + 1",
	.roles = sql_mysql_roles,
	.has_excluded = false,
	.question_cost = 16,
	.rows_per_insert = ROWS_PER_INSERT,
	.rows_per_transaction = 8192,
	.open = open_database,
	.close = close_database,
	.file = file,
	.execute = execute,
	.array_rows = array_rows,
	.set_rows = set_rows,
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
