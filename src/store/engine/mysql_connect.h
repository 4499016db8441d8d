/*
 * Connects to a MySQL or MariaDB server from a URL and option files. Only the MySQL driver includes
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_MYSQL_CONNECT_H
#define SIMHASH_STORE_MYSQL_CONNECT_H

#include "store/engine/database.h"
#include "store/engine/mysql_library.h"

#define MYSQL_NAME_SIZE 512

/* Write mysql://user@host:port/database for messages. A name that is too long is cut off. */
void name_mysql(const struct store_url *url, char name[MYSQL_NAME_SIZE]);

/* Fill the error for an error `number` of the server or the library. Always returns -1. */
int fail_mysql(const char *name, unsigned number, const char *message, struct simhash_error *error);

/*
 * Connect, and set up the session. OPEN_TO_CREATE creates a missing database. If TLS was required
 * and is not used, this is an error. On success call mysql_close() on the handle. Errors:
 * SIMHASH_E_CONNECTION if no server answers, SIMHASH_E_DATABASE, SIMHASH_E_SYSTEM for a named
 * option file that cannot be read, SIMHASH_E_RANGE for a value in an option file.
 */
int connect_mysql(const struct store_url *url, const struct store_location *where,
		  enum open_mode mode, const char *name, MYSQL **handle,
		  struct simhash_error *error);

/*
 * Does the server log statements, and never rows? Then it rejects arrays of values (error 4033),
 * and each write to InnoDB at an isolation level below REPEATABLE READ (error 1665). Error:
 * SIMHASH_E_CONNECTION.
 */
int mysql_logs_statements(MYSQL *handle, const char *name, bool *logs, struct simhash_error *error);

#endif
