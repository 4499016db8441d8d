/*
 * Reads lists of known files in the format of the NSRL: SQLite files whose table METADATA (or FILE
 * in the minimal form) has columns sha256, sha1 and md5. They may come from anybody.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_KNOWN_DATABASE_H
#define SIMHASH_SCAN_KNOWN_DATABASE_H

#include <stdbool.h>

#include "lists/known_hashes.h"
#include "simhash.h"

struct known_database;

/* Is this a regular file that begins like an SQLite file? */
bool is_database(const char *path);

/*
 * Open the file; its path is borrowed. Nothing is written to it, and no code in it is run: no view,
 * trigger or function.
 */
int known_database_open(const char *path, struct known_database **database,
			struct simhash_error *error);
void known_database_close(struct known_database *database); /* NULL is allowed */

/* Read the next row with a hash. Returns 1, 0 at the end, or -1. */
int known_database_next(struct known_database *database, struct known_hashes *hashes,
			struct simhash_error *error);

#endif
