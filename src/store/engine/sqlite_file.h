/*
 * The file of an SQLite index: how it is made and checked, its name for SQLite, and its file
 * system.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_FILE_H
#define SIMHASH_STORE_SQLITE_FILE_H

#include "simhash.h"
#include "store/engine/location.h"

/*
 * Make the file unless it exists, private to its user. A symbolic link whose target does not exist
 * gets its target.
 */
int sqlite_file_make(const char *path, struct simhash_error *error);

/* The error says what is at the path, if that is not a regular file. ENOENT for nothing. */
int sqlite_file_check(const char *path, struct simhash_error *error);

/*
 * Warn of a file with several names (hard links): SQLite names its log after the database, so each name
 * has a log without the rows in the other one.
 */
void sqlite_file_warn_of_names(const struct store_location *where, const char *path);

/*
 * What SQLite has to be given to open a file by its path. Names such as ":memory:" and "file:x" have a
 * meaning there, and an index may have any name. The second is a URI, by which SQLite takes it that
 * nobody writes to the file. To be freed; NULL without memory.
 */
char *sqlite_file_name(const char *path);
char *sqlite_file_uri(const char *path);

/*
 * The kind of file system that the file is on, such as "nfs", if other hosts may use it at the same
 * time; else NULL. FUSE counts, unless it is on a disk of this host.
 */
const char *network_file_system(const char *path);

#endif
