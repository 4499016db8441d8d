/*
 * Applies the options of option files to a connection with a server. Only the MySQL driver includes
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_MYSQL_OPTIONS_H
#define SIMHASH_STORE_MYSQL_OPTIONS_H

#include "store/engine/mysql_library.h"
#include "store/engine/option_files.h"

enum tls_mode {
	TLS_UNSAID, /* no mode, or PREFERRED, which does not require TLS */
	TLS_DISABLED,
	TLS_REQUIRED,
	TLS_VERIFIED_CA,
	TLS_VERIFIED
};

/* The arguments of mysql_real_connect(). NULL and 0: not set. */
struct connect_options {
	const char *host, *user, *password, *socket; /* borrowed from the option files */
	unsigned port;
	enum tls_mode tls;
};

/*
 * Set the options that `handle` stores, fill `connect` with the others, and set up the required TLS
 * mode. Options of other programs are ignored. Errors: SIMHASH_E_RANGE for an invalid value.
 */
int set_mysql_options(MYSQL *handle, const struct option_files *files,
		      struct connect_options *connect, struct simhash_error *error);

#endif
