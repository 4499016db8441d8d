/*
 * The options of MySQL's option files that are about TLS. MariaDB's library reads those files
 * too, but ignores `ssl-mode` and `ssl`: a user who asks for ssl-mode=REQUIRED there would be
 * connected without encryption.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_OPTION_FILES_H
#define SIMHASH_STORE_OPTION_FILES_H

#include "simhash.h"

enum tls_mode {
	TLS_UNSAID, /* or PREFERRED, which requires nothing */
	TLS_DISABLED,
	TLS_REQUIRED,
	TLS_VERIFIED /* VERIFY_CA and VERIFY_IDENTITY; the host name is always checked */
};

/*
 * Read the groups [client], [client-server], [client-mariadb] and [simhash] of
 * `defaults_file`, or of the usual files when it is NULL, and the files that they
 * include. The last option wins. Files that cannot be read are ignored, as the libraries do.
 * Errors: SIMHASH_E_RANGE for an unknown ssl-mode, SIMHASH_E_MEMORY.
 */
int option_files_tls_mode(const char *defaults_file, enum tls_mode *mode,
			  struct simhash_error *error);

#endif
