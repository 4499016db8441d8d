/*
 * The URL that names an index.
 *
 *     sqlite:/path/to/index.db
 *     mysql://user@host:port/database
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_URL_H
#define SIMHASH_STORE_URL_H

#include "simhash.h"

struct store_url {
	char *scheme; /* "sqlite" or "mysql" */
	char *path;   /* sqlite: the file, else NULL */
	char *user;   /* mysql: each NULL where the URL leaves it to the option files */
	char *host;
	char *database;
	unsigned port; /* 0 where the URL leaves it out */
};

/*
 * Take a URL apart. %XX is decoded in the parts of a mysql URL; the path of a
 * sqlite URL is taken as it stands. A password in a URL is refused, and not
 * repeated in the message. On success the caller releases `url`.
 * Errors: SIMHASH_E_SYNTAX, SIMHASH_E_MEMORY.
 */
int store_url_parse(const char *text, struct store_url *url, struct simhash_error *error);

void store_url_release(struct store_url *url);

#endif
