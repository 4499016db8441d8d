/*
 * The URL of an index.
 *
 *     sqlite:/path/to/index.db
 *     mysql://user@host:port/database?defaults-file=/path/to/options
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_URL_H
#define SIMHASH_STORE_URL_H

#include <stdbool.h>

#include "simhash.h"

struct store_url {
	char *scheme; /* "sqlite" or "mysql" */
	char *path;   /* sqlite: the file, else NULL */
	char *user;   /* mysql: each NULL where the URL leaves it to the option files */
	char *host;
	char *database;
	char *defaults_file; /* mysql: the only option file to read; NULL for the usual ones */
	unsigned port;	     /* 0 where the URL leaves it out */
};

/*
 * Take a URL apart. %XX is decoded in the parts of a mysql URL; the path of a
 * sqlite URL is taken as it stands. A password in a URL is refused, and not
 * repeated in the message. On success the caller releases `url`.
 * Errors: SIMHASH_E_SYNTAX, SIMHASH_E_MEMORY.
 */
int store_url_parse(const char *text, struct store_url *url, struct simhash_error *error);

void store_url_release(struct store_url *url);

/*
 * Do both URLs name one index: one file, by any of its names, or one database of one server, by the
 * same option file? A server's other names, and what option files say, are not looked up. Errors: those of store_url_parse.
 */
int store_url_compare(const char *first, const char *second, bool *is_same,
		      struct simhash_error *error);

#endif
