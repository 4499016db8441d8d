/*
 * From a URL and option files to a connection with a MySQL or MariaDB server.
 * Included by the MySQL driver alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_MYSQL_CONNECT_H
#define SIMHASH_STORE_MYSQL_CONNECT_H

#include "store/database.h"
#include "store/mysql_library.h"

#define MYSQL_NAME_SIZE 512

/* mysql://user@host:port/database, for messages. */
void name_mysql(const struct store_url *url, char name[MYSQL_NAME_SIZE]);

/*
 * Fill the error for an error `number` of server or library, whose own words are
 * `message`. Always -1.
 */
int fail_mysql(const char *name, unsigned number, const char *message, struct simhash_error *error);

/*
 * Connect, and set up the session. With OPEN_TO_CREATE the database is made where it is
 * not. TLS that was asked for and is not there is an error. On success mysql_close() the
 * handle. Errors: SIMHASH_E_CONNECTION where no server answers, SIMHASH_E_DATABASE,
 * SIMHASH_E_SYSTEM for `defaults_file`.
 */
int connect_mysql(const struct store_url *url, const char *defaults_file, enum open_mode mode,
		  const char *name, MYSQL **handle, struct simhash_error *error);

#endif
