/*
 * Parses and compares the URLs of indexes.
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
	char *path;   /* sqlite: the file; otherwise NULL */
	char *user;   /* for mysql; a part is NULL if the URL omits it */
	char *host;
	char *database;
	char *defaults_file; /* for mysql: the only option file to read; NULL for the usual files */
	unsigned port;	     /* 0 if the URL omits it */
};

/*
 * Parse a URL. %XX is decoded in the parts of a mysql URL; the path of a sqlite URL is not decoded.
 * A password in a URL is rejected, and the message does not repeat it. On success the caller
 * releases `url`. Errors: SIMHASH_E_SYNTAX, SIMHASH_E_MEMORY.
 */
int store_url_parse(const char *text, struct store_url *url, struct simhash_error *error);

void store_url_release(struct store_url *url);

/*
 * Do both URLs name the same index: one file, by any of its names, or one database of one server
 * with the same option file? Other names of a server and the contents of option files are not
 * compared. Errors: the errors of store_url_parse.
 */
int store_url_compare(const char *first, const char *second, bool *is_same,
		      struct simhash_error *error);

#endif
