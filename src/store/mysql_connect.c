/*
 * From a URL and option files to a connection with a MySQL or MariaDB server.
 * User, password, socket and TLS come from the option files, groups [client] and
 * [simhash]. Leaves statements to mysql.c.
 * SPDX-License-Identifier: MIT
 */
#include "store/mysql_connect.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "store/option_files.h"

/* Error numbers of the server and of the library that matter here. */
enum {
	SERVER_TOO_MANY_CONNECTIONS = 1040,
	SERVER_DATABASE_DENIED = 1044,
	SERVER_NOT_READY = 1047, /* a node of Galera that is not in its cluster */
	SERVER_UNKNOWN_DATABASE = 1049,
	SERVER_SHUTTING_DOWN = 1053,
	SERVER_COLUMN_IS_THERE = 1060,
	SERVER_KEY_IS_THERE = 1061,
	SERVER_DUPLICATE_ENTRY = 1062,
	SERVER_NO_SUCH_KEY = 1091,
	SERVER_TABLE_FULL = 1114,
	SERVER_TABLE_DENIED = 1142,
	SERVER_NO_SUCH_TABLE = 1146,
	SERVER_PACKET_TOO_LARGE = 1153,
	SERVER_NET_READ_ERROR = 1158, /* to 1161: from a server to one behind it */
	SERVER_NET_WRITE_INTERRUPTED = 1161,
	SERVER_USER_LIMIT = 1203,
	SERVER_LOCK_WAIT_TIMEOUT = 1205,
	SERVER_DEADLOCK = 1213,
	SERVER_ACCESS_NEEDED = 1227,
	SERVER_READ_ONLY = 1290,
	SERVER_NO_FOREIGN_SERVER = 1429, /* Spider: a data node does not answer */
	SERVER_CONNECTION_KILLED = 1927,
	SERVER_RECORD_CHANGED = 1020, /* with innodb_snapshot_isolation */
	SERVER_READ_ONLY_TRANSACTION = 1792,
	SERVER_READ_ONLY_MODE = 1836,
	SERVER_STOPPED_IDLE = 4031, /* the server ended a connection that was idle */
	LIBRARY_NO_SOCKET = 2002,
	LIBRARY_NO_HOST = 2003,
	LIBRARY_UNKNOWN_HOST = 2005,
	LIBRARY_SERVER_GONE = 2006,
	LIBRARY_SERVER_LOST = 2013,
	LIBRARY_PACKET_TOO_LARGE = 2020,
	LIBRARY_SERVER_LOST_EXTENDED = 2055,
	SPIDER_SERVER_GONE = 12701
};

#define CONNECT_TIMEOUT_S 30 /* unless an option file sets another */

/* The oldest servers whose views can hold the queries of ours. */
#define OLDEST_MYSQL 50707UL
#define OLDEST_MARIADB 100201UL

void name_mysql(const struct store_url *url, char name[MYSQL_NAME_SIZE])
{
	bool is_address = url->host != NULL && strchr(url->host, ':') != NULL;
	char port[16] = "";

	if (url->port != 0)
		snprintf(port, sizeof port, ":%u", url->port);
	snprintf(name, MYSQL_NAME_SIZE, "mysql://%s%s%s%s%s%s/%s",
		 url->user != NULL ? url->user : "", url->user != NULL ? "@" : "",
		 is_address ? "[" : "", url->host != NULL ? url->host : "", is_address ? "]" : "",
		 port, url->database);
}

static int classify(unsigned number)
{
	if (number >= SERVER_NET_READ_ERROR && number <= SERVER_NET_WRITE_INTERRUPTED)
		return SIMHASH_E_CONNECTION;
	switch (number) {
	case SERVER_DUPLICATE_ENTRY:
	case SERVER_COLUMN_IS_THERE:
	case SERVER_KEY_IS_THERE:
	case SERVER_NO_SUCH_KEY:
		return ERROR_DUPLICATE;
	case SERVER_NO_SUCH_TABLE:
		return SIMHASH_E_SCHEMA;
	case SERVER_LOCK_WAIT_TIMEOUT:
	case SERVER_DEADLOCK:
	case SERVER_RECORD_CHANGED:
		return ERROR_RETRY;
	case SERVER_TOO_MANY_CONNECTIONS:
	case SERVER_USER_LIMIT:
	case SERVER_NOT_READY:
	case SERVER_SHUTTING_DOWN:
	case SERVER_NO_FOREIGN_SERVER:
	case SERVER_CONNECTION_KILLED:
	case SERVER_STOPPED_IDLE:
	case LIBRARY_NO_SOCKET:
	case LIBRARY_NO_HOST:
	case LIBRARY_UNKNOWN_HOST: /* a network that is not up yet */
	case LIBRARY_SERVER_GONE:
	case LIBRARY_SERVER_LOST:
	case LIBRARY_SERVER_LOST_EXTENDED:
	case SPIDER_SERVER_GONE:
		return SIMHASH_E_CONNECTION;
	case LIBRARY_OUT_OF_MEMORY:
		return SIMHASH_E_MEMORY;
	default:
		return SIMHASH_E_DATABASE;
	}
}

static const char *advice_for(unsigned number)
{
	switch (number) {
	case SERVER_UNKNOWN_DATABASE:
		return "; simhash --init-database creates it";
	case SERVER_DATABASE_DENIED:
	case SERVER_TABLE_DENIED:
	case SERVER_ACCESS_NEEDED:
		return "; simhash --init-database prints the rights that are needed";
	case SERVER_TABLE_FULL:
		return "; make room on the server's disk";
	case SERVER_READ_ONLY:
	case SERVER_READ_ONLY_TRANSACTION:
	case SERVER_READ_ONLY_MODE:
		return "; the server is read-only";
	case SERVER_PACKET_TOO_LARGE:
	case LIBRARY_PACKET_TOO_LARGE:
		return "; raise max_allowed_packet";
	default:
		return "";
	}
}

int fail_mysql(const char *name, unsigned number, const char *message, struct simhash_error *error)
{
	return error_set(error, classify(number), "cannot use index %s: %s (error %u)%s", name,
			 message, number, advice_for(number));
}

static int fail(MYSQL *handle, const char *name, struct simhash_error *error)
{
	return fail_mysql(name, mysql_errno(handle), mysql_error(handle), error);
}

/* ---- TLS ---- */

static int choose_tls(MYSQL *handle, const char *defaults_file, enum tls_mode *mode,
		      struct simhash_error *error)
{
	*mode = TLS_UNSAID;
	if (!LIBRARY_KNOWS_SSL_MODE && option_files_tls_mode(defaults_file, mode, error) != 0)
		return -1;
	if (*mode >= TLS_REQUIRED)
		library_require_tls(handle, *mode == TLS_VERIFIED);
	else if (*mode == TLS_DISABLED)
		library_disable_tls(handle);
	return 0;
}

/*
 * MariaDB's library may fall back to an unencrypted connection silently, whatever was asked for.
 * Oracle's does where nothing but certificate files asks for TLS.
 */
static int check_tls(MYSQL *handle, enum tls_mode mode, const char *name,
		     struct simhash_error *error)
{
	bool is_wanted = mode >= TLS_REQUIRED || library_requires_tls(handle) ||
			 library_has_tls_files(handle);

	if (!is_wanted || mode == TLS_DISABLED || library_forbids_tls(handle) ||
	    mysql_get_ssl_cipher(handle) != NULL)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "cannot use index %s: the option files require TLS, but the connection "
			 "does not use it; ssl-mode=DISABLED in the group [simhash] allows that",
			 name);
}

/* ---- Connecting ---- */

/* The libraries ignore a file that they cannot read. */
static int check_defaults_file(const char *path, struct simhash_error *error)
{
	int fd = open_file_at(AT_FDCWD, path, O_RDONLY, 0);

	if (fd < 0)
		return error_set_errno(error, "cannot read the option file %s", path);
	close(fd);
	return 0;
}

static int check_version(MYSQL *handle, const char *name, struct simhash_error *error)
{
	const char *info = mysql_get_server_info(handle);
	bool is_mariadb = strstr(info, "MariaDB") != NULL;

	if (mysql_get_server_version(handle) >= (is_mariadb ? OLDEST_MARIADB : OLDEST_MYSQL))
		return 0;
	return error_set(
		error, SIMHASH_E_DATABASE,
		"cannot use index %s: server version %s is too old; expected MySQL 5.7.7 or "
		"later, or MariaDB 10.2.1 or later",
		name, info);
}

static int run(MYSQL *handle, const char *sql, const char *name, struct simhash_error *error)
{
	return mysql_query(handle, sql) != 0 ? fail(handle, name, error) : 0;
}

static int configure(MYSQL *handle, const char *name, struct simhash_error *error)
{
	static const char *const settings[] = {
		/* A value that does not fit is an error, and never truncated. */
		"SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		/* A stream of rows may pause while files are compared. */
		"SET SESSION net_write_timeout = 86400",
		/* A connection may be idle while a large file is scanned. */
		"SET SESSION wait_timeout = 2147483",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (run(handle, settings[i], name, error) != 0)
			return -1;
	return 0;
}

/* An identifier cannot be a parameter, so its characters are checked. */
static int create_database(MYSQL *handle, const char *database, const char *name,
			   struct simhash_error *error)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$";
	char sql[128];

	if (strspn(database, plain) != strlen(database) || strlen(database) > 64)
		return error_set(error, SIMHASH_E_RANGE,
				 "database '%s': expected 1 to 64 letters, digits, '_', '-' or '$' "
				 "in the name of a database to create",
				 database);
	snprintf(sql, sizeof sql, "CREATE DATABASE IF NOT EXISTS `%s`", database);
	if (run(handle, sql, name, error) != 0)
		return -1;
	return mysql_select_db(handle, database) != 0 ? fail(handle, name, error) : 0;
}

/* `database` is NULL if it is to be created first. */
static int open_handle(MYSQL *handle, const struct store_url *url, const char *database,
		       const char *defaults_file, const char *name, struct simhash_error *error)
{
	unsigned timeout_s = CONNECT_TIMEOUT_S;
	enum tls_mode tls;

	if (defaults_file != NULL && check_defaults_file(defaults_file, error) != 0)
		return -1;
	mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
	if (choose_tls(handle, defaults_file, &tls, error) != 0)
		return -1;
	if (defaults_file != NULL)
		mysql_options(handle, MYSQL_READ_DEFAULT_FILE, defaults_file);
	mysql_options(handle, MYSQL_READ_DEFAULT_GROUP, "simhash");
	mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (mysql_real_connect(handle, url->host, url->user, NULL, database, url->port, NULL, 0) ==
	    NULL)
		return fail(handle, name, error);
	library_never_reconnect(handle);
	if (check_tls(handle, tls, name, error) != 0 || check_version(handle, name, error) != 0 ||
	    configure(handle, name, error) != 0)
		return -1;
	return database == NULL ? create_database(handle, url->database, name, error) : 0;
}

int connect_mysql(const struct store_url *url, const char *defaults_file, enum open_mode mode,
		  const char *name, MYSQL **handle, struct simhash_error *error)
{
	const char *database = url->database;

	/* A handle that failed has lost its options, so each try has a new one. */
	for (;;) {
		bool is_missing;
		*handle = mysql_init(NULL);
		if (*handle == NULL)
			return error_set_memory(error);
		if (open_handle(*handle, url, database, defaults_file, name, error) == 0)
			return 0;
		is_missing = mysql_errno(*handle) == SERVER_UNKNOWN_DATABASE;
		mysql_close(*handle);
		*handle = NULL;
		if (mode != OPEN_TO_CREATE || !is_missing || database == NULL)
			return -1;
		database = NULL;
	}
}
