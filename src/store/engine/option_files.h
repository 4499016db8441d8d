/*
 * Reads the option files of MySQL: the options for this program, in order of importance. The
 * libraries also read these files. But in the libraries the last option counts, regardless of its
 * group, and MariaDB's library ignores `ssl-mode` and `ssl`. With that library, a user who sets
 * ssl-mode=REQUIRED would be connected without encryption.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_OPTION_FILES_H
#define SIMHASH_STORE_OPTION_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "simhash.h"

struct option_value {
	unsigned rank; /* the rank of its group: a higher rank has priority */
	char *file, *key;
	char *value; /* NULL if the option is only a key */
};

struct option_files {
	/* The last value of a key counts. Keys have '-' instead of '_', and no prefix "loose-". */
	struct option_value *values;
	size_t count, capacity;
	/* A file that exists and cannot be read, with the reason; else NULL. */
	char *unreadable;
	/* A file with a password that others can read or write; else NULL. */
	char *exposed;
};

/*
 * Read `defaults_file`, or the usual files if it is NULL, and the files that they include. The
 * group [`group`], which may be NULL, has priority over [simhash]; [simhash] has priority over
 * [client], [client-server] and [client-mariadb]. In one group the last option counts. Files that
 * cannot be read are skipped, as the libraries do. Release `files` also after an error. Errors:
 * SIMHASH_E_MEMORY.
 */
int option_files_read(const char *defaults_file, const char *group, struct option_files *files,
		      struct simhash_error *error);

void option_files_release(struct option_files *files);

/* Does a value mean "no"? A key without a value does not. */
bool option_is_off(const struct option_value *option);

#endif
