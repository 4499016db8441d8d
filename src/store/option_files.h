/*
 * What the option files of MySQL say of TLS. MariaDB's library reads those
 * files too, but passes over `ssl-mode` and `ssl`, and who wrote
 * ssl-mode=REQUIRED there would be connected in the clear.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_OPTION_FILES_H
#define SIMHASH_STORE_OPTION_FILES_H

#include "simhash.h"

enum tls_mode {
	TLS_UNSAID, /* and PREFERRED, which asks for nothing */
	TLS_DISABLED,
	TLS_REQUIRED,
	TLS_VERIFIED /* VERIFY_CA and VERIFY_IDENTITY; the host name is always checked */
};

/*
 * Read the groups [client], [client-server], [client-mariadb] and [simhash] of
 * `defaults_file`, or of the usual files when it is NULL, and the files that they
 * include. The last word counts. Files that cannot be read are passed over, as
 * the libraries do. Error: SIMHASH_E_RANGE for an unknown ssl-mode.
 */
int option_files_tls_mode(const char *defaults_file, enum tls_mode *mode,
			  struct simhash_error *error);

#endif
