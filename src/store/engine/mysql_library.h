/*
 * Hides the differences at compile time between MariaDB Connector/C and Oracle's libmysqlclient:
 * which TLS options they have, and whether they obey them. Only the MySQL driver includes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_MYSQL_LIBRARY_H
#define SIMHASH_STORE_MYSQL_LIBRARY_H

#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>

enum { LIBRARY_OUT_OF_MEMORY = 2008 }; /* an error number, like the numbers in mysql_connect.c */

#ifdef MARIADB_PACKAGE_VERSION

typedef my_bool mysql_bool;

#define library_get_option(handle, option, value) mysql_get_optionv(handle, option, value)

/* This library always compares the host name when it verifies. */
static inline void library_require_tls(MYSQL *handle, bool verify, bool identity)
{
	mysql_bool yes = 1;

	(void)identity;
	mysql_options(handle, MYSQL_OPT_SSL_ENFORCE, &yes);
	if (verify)
		mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
}

/* Newer versions verify unless this is disabled. */
static inline void library_disable_tls(MYSQL *handle)
{
	mysql_bool no = 0;

	mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &no);
}

/*
 * Returns false: the option files decide, because the library's behaviour depends on its version.
 */
static inline bool library_requires_tls(MYSQL *handle)
{
	(void)handle;
	return false;
}

static inline bool library_forbids_tls(MYSQL *handle)
{
	(void)handle;
	return false;
}

/* Can the server run one statement for the values of many rows? */
static inline bool library_takes_arrays(MYSQL *handle)
{
	unsigned long extended = 0;

	return mariadb_get_infov(handle, MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES,
				 (void *)&extended) == 0 &&
	       (extended & (unsigned long)(MARIADB_CLIENT_STMT_BULK_OPERATIONS >> 32)) != 0;
}

static inline int library_socket(MYSQL *handle)
{
	return (int)mysql_get_socket(handle);
}

static inline int library_set_array(MYSQL_STMT *statement, unsigned rows)
{
	return mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
}

/* Set which values of a parameter are NULL, for one row or for each row of an array. */
static inline void library_set_nulls(MYSQL_BIND *parameter, mysql_bool *is_null)
{
	_Static_assert(STMT_INDICATOR_NONE == 0 && STMT_INDICATOR_NULL == 1, "booleans will do");
	parameter->is_null = is_null;
	parameter->u.indicator = is_null;
}

/* Prevents reconnecting even if an option file requests it: see mysql.c. */
static inline void library_never_reconnect(MYSQL *handle)
{
	mysql_bool no = 0;

	mysql_options(handle, MYSQL_OPT_RECONNECT, &no);
}

#else /* Oracle's library */

#if MYSQL_VERSION_ID < 80001
typedef my_bool mysql_bool;
#else
typedef bool mysql_bool;
#endif

#define library_get_option(handle, option, value) mysql_get_option(handle, option, value)

static inline void library_require_tls(MYSQL *handle, bool verify, bool identity)
{
	enum mysql_ssl_mode mode = identity ? SSL_MODE_VERIFY_IDENTITY
				   : verify ? SSL_MODE_VERIFY_CA
					    : SSL_MODE_REQUIRED;

	mysql_options(handle, MYSQL_OPT_SSL_MODE, &mode);
}

static inline void library_disable_tls(MYSQL *handle)
{
	enum mysql_ssl_mode mode = SSL_MODE_DISABLED;

	mysql_options(handle, MYSQL_OPT_SSL_MODE, &mode);
}

static inline bool library_requires_tls(MYSQL *handle)
{
	unsigned mode = SSL_MODE_PREFERRED;

	library_get_option(handle, MYSQL_OPT_SSL_MODE, &mode);
	return mode >= SSL_MODE_REQUIRED;
}

static inline bool library_forbids_tls(MYSQL *handle)
{
	unsigned mode = SSL_MODE_PREFERRED;

	library_get_option(handle, MYSQL_OPT_SSL_MODE, &mode);
	return mode == SSL_MODE_DISABLED;
}

static inline bool library_takes_arrays(MYSQL *handle)
{
	(void)handle;
	return false;
}

static inline int library_socket(MYSQL *handle)
{
	return handle->net.fd;
}

static inline int library_set_array(MYSQL_STMT *statement, unsigned rows)
{
	(void)statement;
	(void)rows;
	return 1;
}

static inline void library_set_nulls(MYSQL_BIND *parameter, mysql_bool *is_null)
{
	parameter->is_null = is_null;
}

/* This library reconnects only if it is old and configured to do so. */
static inline void library_never_reconnect(MYSQL *handle)
{
#if MYSQL_VERSION_ID < 80024
	mysql_bool no = 0;

	mysql_options(handle, MYSQL_OPT_RECONNECT, &no);
#else
	(void)handle;
#endif
}

#endif

/* Do the options name any file of certificates or keys? */
static inline bool library_has_tls_files(MYSQL *handle)
{
	static const enum mysql_option files[] = {MYSQL_OPT_SSL_CA, MYSQL_OPT_SSL_CAPATH,
						  MYSQL_OPT_SSL_CERT, MYSQL_OPT_SSL_KEY};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *value = NULL;
		if (library_get_option(handle, files[i], (void *)&value) == 0 && value != NULL)
			return true;
	}
	return false;
}

#endif
