/*
 * Reads the option files of MySQL: the options for this program, in their order of importance. The
 * libraries also read these files. But for them the last option counts regardless of its group, and
 * MariaDB's ignores `ssl-mode` and `ssl`: a user who asks for ssl-mode=REQUIRED there would be
 * connected without encryption.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_OPTION_FILES_H
#define SIMHASH_STORE_OPTION_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "simhash.h"

struct option_value {
	unsigned rank; /* of its group: a higher one counts more */
	char *file, *key;
	char *value; /* NULL for a key alone */
};

struct option_files {
	/* The last of a key counts. Keys have '-' for '_', and no "loose-" before them. */
	struct option_value *values;
	size_t count, capacity;
	/* A file that is there and cannot be read, with the reason, else NULL. */
	char *unreadable;
	/* A file with a password that others can read or write, else NULL. */
	char *exposed;
};

/*
 * Read `defaults_file`, or the usual files when it is NULL, and the files that they include.
 * The group [`group`], which may be NULL, counts before [simhash], and that before [client],
 * [client-server] and [client-mariadb]; in one group the last option counts. Files that cannot be
 * read are passed over, as the libraries do. Release `files` also after an error.
 * Errors: SIMHASH_E_MEMORY.
 */
int option_files_read(const char *defaults_file, const char *group, struct option_files *files,
		      struct simhash_error *error);

void option_files_release(struct option_files *files);

/* Does a value mean "no"? A key alone does not. */
bool option_is_off(const struct option_value *option);

#endif
