/*
 * Connects to a MySQL or MariaDB server, checks its version and TLS, and explains why a connection
 * failed. mysql_options.c interprets the options, and mysql.c runs statements.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/mysql_connect.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/engine/mysql_options.h"

/* Error numbers of the server and of the library. */
enum {
	SERVER_TOO_MANY_CONNECTIONS = 1040,
	SERVER_DATABASE_DENIED = 1044,
	SERVER_USER_DENIED = 1045,
	SERVER_NOT_READY = 1047, /* a Galera node outside of its cluster */
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
	/* 1158 to 1161: between this server and a server that it uses. */
	SERVER_NET_READ_ERROR = 1158,
	SERVER_NET_WRITE_INTERRUPTED = 1161,
	SERVER_COMMIT_FAILED = 1180,
	SERVER_USER_LIMIT = 1203,
	SERVER_LOCK_WAIT_TIMEOUT = 1205,
	SERVER_DEADLOCK = 1213,
	SERVER_ACCESS_NEEDED = 1227,
	SERVER_READ_ONLY = 1290,
	SERVER_NO_FOREIGN_SERVER = 1429, /* Spider: a data node does not answer */
	SERVER_CONNECTION_KILLED = 1927,
	SERVER_RECORD_CHANGED = 1020, /* only if innodb_snapshot_isolation is on */
	SERVER_READ_ONLY_TRANSACTION = 1792,
	SERVER_READ_ONLY_MODE = 1836,
	SERVER_STOPPED_IDLE = 4031, /* the server ended an idle connection */
	LIBRARY_NO_SOCKET = 2002,
	LIBRARY_NO_HOST = 2003,
	LIBRARY_UNKNOWN_HOST = 2005,
	LIBRARY_SERVER_GONE = 2006,
	LIBRARY_SERVER_LOST = 2013,
	LIBRARY_PACKET_TOO_LARGE = 2020,
	LIBRARY_SERVER_LOST_EXTENDED = 2055,
	SPIDER_SERVER_GONE = 12701
};

#define NAMED_USER                                                                        \
	"simhash --init-database prints statements for users with priority over it, and " \
	"mariadb-secure-installation removes it"

/*
 * The time limits for a silent server, unless an option file sets others. A sort of many rows may
 * keep a server silent for a long time.
 */
#define CONNECT_TIMEOUT_S 30
#define READ_TIMEOUT_S 3600
#define WRITE_TIMEOUT_S 600

/* A host that disappeared, or lost its network, is detected after two minutes. */
#define KEEPALIVE_IDLE_S 60
#define KEEPALIVE_INTERVAL_S 10
#define KEEPALIVE_PROBES 6
#define UNACKNOWLEDGED_MS 120000

/* The oldest servers whose views support our queries. */
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

/* A Galera node that loses its cluster undoes the current commit. */
static bool is_without_cluster(unsigned number, const char *message)
{
	return number == SERVER_NOT_READY ||
	       (number == SERVER_COMMIT_FAILED && strstr(message, "Primary Component") != NULL);
}

static int classify(unsigned number, const char *message)
{
	if ((number >= SERVER_NET_READ_ERROR && number <= SERVER_NET_WRITE_INTERRUPTED) ||
	    is_without_cluster(number, message))
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
	case SERVER_SHUTTING_DOWN:
	case SERVER_NO_FOREIGN_SERVER:
	case SERVER_CONNECTION_KILLED:
	case SERVER_STOPPED_IDLE:
	case LIBRARY_NO_SOCKET:
	case LIBRARY_NO_HOST:
	case LIBRARY_UNKNOWN_HOST: /* the network may not be up yet */
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

static const char *advice_for(unsigned number, const char *message)
{
	if (is_without_cluster(number, message))
		return "; this node is not in its cluster now, and others may be";
	switch (number) {
	case SERVER_UNKNOWN_DATABASE:
		return "; simhash --init-database creates it";
	case SERVER_DATABASE_DENIED:
	case SERVER_TABLE_DENIED:
	case SERVER_ACCESS_NEEDED:
		return "; simhash --init-database prints the privileges that are needed";
	case SERVER_TABLE_FULL:
		return "; make room on the server's disk";
	case SERVER_READ_ONLY:
	case SERVER_READ_ONLY_TRANSACTION:
	case SERVER_READ_ONLY_MODE:
		return "; the server is read-only";
	case LIBRARY_SERVER_LOST:
		return "; read-timeout in an option file says how long the server may be silent";
	case SERVER_PACKET_TOO_LARGE:
	case LIBRARY_PACKET_TOO_LARGE:
		return "; raise max_allowed_packet";
	default:
		return "";
	}
}

/* Does a server report missing privileges of its anonymous user? */
static bool is_of_nobody(const char *message)
{
	return strstr(message, " user ''@'") != NULL;
}

int fail_mysql(const char *name, unsigned number, const char *message, struct simhash_error *error)
{
	if ((number == SERVER_DATABASE_DENIED || number == SERVER_TABLE_DENIED) &&
	    is_of_nobody(message))
		return error_set(error, classify(number, message),
				 "cannot use index %s: %s (error %u): the server logged you in as "
				 "its anonymous user; " NAMED_USER,
				 name, message, number);
	return error_set(error, classify(number, message), "cannot use index %s: %s (error %u)%s",
			 name, message, number, advice_for(number, message));
}

static int fail(MYSQL *handle, const char *name, struct simhash_error *error)
{
	return fail_mysql(name, mysql_errno(handle), mysql_error(handle), error);
}

/* ---- TLS ---- */

/*
 * MariaDB's library may silently connect without encryption, even if encryption was required.
 * Oracle's library does so if only certificate files request TLS.
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

/* The libraries silently ignore a file that they cannot read. */
static int check_defaults_file(const char *path, struct simhash_error *error)
{
	int fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat status;
	bool is_pipe;

	if (fd < 0)
		return error_set_errno(error, "cannot read the option file %s", path);
	is_pipe = fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
	close_content(fd);
	return is_pipe ? error_set(error, SIMHASH_E_SYSTEM,
				   "cannot read the option file %s: it is a pipe, and each "
				   "connection reads the file; expected a regular file",
				   path)
		       : 0;
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
		/* A value that does not fit is an error, and is not truncated. */
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

/* The parameters of a connection. */
struct target {
	const struct store_url *url;
	const struct option_files *files;
	const char *name;
};

/* Ignores errors: a socket on this host does not support these options, and does not need them. */
static void probe_host(int fd)
{
	static const int yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
#if defined TCP_KEEPIDLE && defined TCP_KEEPINTVL && defined TCP_KEEPCNT
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){KEEPALIVE_IDLE_S}, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){KEEPALIVE_INTERVAL_S}, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){KEEPALIVE_PROBES}, sizeof(int));
#endif
#ifdef TCP_USER_TIMEOUT
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &(unsigned){UNACKNOWLEDGED_MS},
		   sizeof(unsigned));
#endif
}

/* Set all options, and connect. On -1 without an error, `handle` has the library's error. */
static int reach(MYSQL *handle, const struct target *target, const char *database,
		 const char *password, struct connect_options *options, bool *has_error,
		 struct simhash_error *error)
{
	const struct store_url *url = target->url;
	unsigned connect_s = CONNECT_TIMEOUT_S, read_s = READ_TIMEOUT_S, write_s = WRITE_TIMEOUT_S;
	unsigned no = 0;

	mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &read_s);
	mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &write_s);
	/* Otherwise a server could request any file of this host. */
	mysql_options(handle, MYSQL_OPT_LOCAL_INFILE, &no);
	*has_error = set_mysql_options(handle, target->files, options, error) != 0;
	if (*has_error)
		return -1;
	mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	return mysql_real_connect(handle, url->host != NULL ? url->host : options->host,
				  url->user != NULL ? url->user : options->user,
				  password != NULL ? password : options->password, database,
				  url->port != 0 ? url->port : options->port, options->socket,
				  0) == NULL
		       ? -1
		       : 0;
}

/* Has the server logged us in as its anonymous user? Stores the host part of this user's name. */
static bool is_anonymous(MYSQL *handle, char host[], size_t size)
{
	MYSQL_RES *result;
	MYSQL_ROW row;
	bool is = false;

	if (mysql_query(handle, "SELECT CURRENT_USER()") != 0 ||
	    (result = mysql_store_result(handle)) == NULL)
		return false;
	row = mysql_fetch_row(result);
	if (row != NULL && row[0] != NULL && row[0][0] == '@') {
		snprintf(host, size, "%s", row[0] + 1);
		is = true;
	}
	mysql_free_result(result);
	return is;
}

/*
 * A server compares host names before user names. For a client on its own host, the anonymous user
 * ''@'localhost', who has no password, comes before 'reader'@'%'. So if a password is refused,
 * check whether a connection without a password works.
 */
static bool is_shadowed(const struct target *target, char host[], size_t size)
{
	MYSQL *handle = mysql_init(NULL);
	struct connect_options options;
	struct simhash_error ignored;
	bool has_error, is = false;

	if (handle == NULL)
		return false;
	if (reach(handle, target, NULL, "", &options, &has_error, &ignored) == 0)
		is = is_anonymous(handle, host, size);
	mysql_close(handle);
	return is;
}

static int fail_refused(MYSQL *handle, const struct target *target, bool has_password,
			struct simhash_error *error)
{
	unsigned number = mysql_errno(handle);
	char host[256];

	if (number != SERVER_USER_DENIED)
		return fail(handle, target->name, error);
	if (has_password && is_shadowed(target, host, sizeof host))
		return error_set(error, SIMHASH_E_DATABASE,
				 "cannot use index %s: %s (error %u): the server's anonymous user "
				 "''@'%s' has priority over a user of any host; " NAMED_USER,
				 target->name, mysql_error(handle), number, host);
	if (target->files->unreadable != NULL)
		return error_set(error, SIMHASH_E_DATABASE,
				 "cannot use index %s: %s (error %u); the option file %s",
				 target->name, mysql_error(handle), number,
				 target->files->unreadable);
	return fail(handle, target->name, error);
}

/* Connect once. `database` is NULL if it must be created first. */
static int open_handle(MYSQL *handle, const struct target *target, const char *database,
		       struct simhash_error *error)
{
	const char *name = target->name;
	struct connect_options options;
	bool has_error;

	if (reach(handle, target, database, NULL, &options, &has_error, error) != 0)
		return has_error ? -1
				 : fail_refused(handle, target, options.password != NULL, error);
	library_never_reconnect(handle);
	probe_host(library_socket(handle));
	if (check_tls(handle, options.tls, name, error) != 0 ||
	    check_version(handle, name, error) != 0 || configure(handle, name, error) != 0)
		return -1;
	return database == NULL ? create_database(handle, target->url->database, name, error) : 0;
}

static int connect_target(const struct target *target, enum open_mode mode, MYSQL **handle,
			  struct simhash_error *error)
{
	const char *database = target->url->database;

	/* A handle loses its options when it fails, so each try uses a new one. */
	for (;;) {
		bool is_missing;
		*handle = mysql_init(NULL);
		if (*handle == NULL)
			return error_set_memory(error);
		if (open_handle(*handle, target, database, error) == 0)
			return 0;
		is_missing = mysql_errno(*handle) == SERVER_UNKNOWN_DATABASE;
		mysql_close(*handle);
		*handle = NULL;
		if (mode != OPEN_TO_CREATE || !is_missing || database == NULL)
			return -1;
		database = NULL;
	}
}

int mysql_logs_statements(MYSQL *handle, const char *name, bool *logs, struct simhash_error *error)
{
	static const char sql[] = "SELECT 1 FROM DUAL WHERE @@log_bin AND @@binlog_format = "
				  "'STATEMENT'";
	MYSQL_RES *result;

	*logs = false;
	if (mysql_query(handle, sql) != 0 || (result = mysql_store_result(handle)) == NULL) {
		fail(handle, name, error);
		/* a server without these variables logs rows */
		return error->code == SIMHASH_E_CONNECTION ? -1 : 0;
	}
	*logs = mysql_num_rows(result) > 0;
	mysql_free_result(result);
	return 0;
}

static void warn_of_exposed(const struct store_location *where, const char *path)
{
	struct simhash_error warning;

	error_set(&warning, SIMHASH_E_SYSTEM,
		  "warning: others can read or write the option file %s, which has a password: "
		  "chmod 600 it",
		  path);
	where->warning(where->context, warning.message);
}

int connect_mysql(const struct store_url *url, const struct store_location *where,
		  enum open_mode mode, const char *name, MYSQL **handle,
		  struct simhash_error *error)
{
	struct option_files files;
	struct target target = {url, &files, name};
	int status;

	*handle = NULL;
	if (url->defaults_file != NULL && check_defaults_file(url->defaults_file, error) != 0)
		return -1;
	status = option_files_read(url->defaults_file, where->group, &files, error);
	if (status == 0 && files.exposed != NULL && where->warning != NULL)
		warn_of_exposed(where, files.exposed);
	if (status == 0)
		status = connect_target(&target, mode, handle, error);
	option_files_release(&files);
	return status;
}
