/*
 * Creates the users of an index on a server: one who writes, one who reads, and one who queries
 * with SQL.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ROLES_H
#define SIMHASH_STORE_ROLES_H

#include "simhash.h"

struct store;

enum role { ROLE_WRITER, ROLE_READER, ROLE_SQL, ROLES };

enum tls_need {
	TLS_WHERE_IT_IS, /* use TLS if the server supports it */
	TLS_ALWAYS,
	TLS_NEVER
};

struct role_request {
	enum tls_need tls;
	/* NULL: the administrator sets the passwords. The statements contain only hashes. */
	const char *passwords[ROLES];
	/* The hashes for caching_sha2_password; NULL without Nettle. */
	const char *sha2_hashes[ROLES];
};

#define USER_NAME_SIZE 33 /* the maximum size in MySQL, with a zero */

/*
 * The names of the users: the name of the database, cut off if it is long, and "_writer", "_reader"
 * or "_sql". If the users of an index have the names of older versions, such as simhash_writer,
 * they keep these names, unless another index has the same users.
 */
struct role_users {
	char names[ROLES][USER_NAME_SIZE];
};

/*
 * Write the statements that create the users and give them only the privileges that they need, with
 * comments. *sql is NULL for an engine without users. The caller frees the text. Errors: the errors
 * of a query, SIMHASH_E_MEMORY, SIMHASH_E_RANGE for new passwords of users who have privileges in
 * another database.
 */
int store_roles(struct store *store, const struct role_request *request, struct role_users *users,
		char **sql, struct simhash_error *error);

#endif
