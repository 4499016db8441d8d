/*
 * Makes and checks the file of an SQLite index, gives its name for SQLite, and determines its file
 * system.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_FILE_H
#define SIMHASH_STORE_SQLITE_FILE_H

#include "simhash.h"
#include "store/engine/location.h"

/*
 * Create the file if it does not exist, private to its user. If a symbolic link has no target,
 * create the target.
 */
int sqlite_file_make(const char *path, struct simhash_error *error);

/*
 * Check that the path is a regular file; otherwise the error describes what it is. ENOENT if
 * nothing is there.
 */
int sqlite_file_check(const char *path, struct simhash_error *error);

/*
 * Warn of a file with several names (hard links). SQLite names its log after the database, so rows
 * in the log of one name are missing under the other name.
 */
void sqlite_file_warn_of_names(const struct store_location *where, const char *path);

/* Warn of an index on a network file system of this kind; NULL: it is not on one. */
void sqlite_file_warn_of_network(const struct store_location *where, const char *path,
				 const char *kind);

/*
 * Return the name with which SQLite opens a file by its path. SQLite gives names such as ":memory:"
 * and "file:x" a meaning, and an index may have any name. The second function returns a URI that
 * says that nobody writes to the file. The caller frees the name. NULL if memory is short.
 */
char *sqlite_file_name(const char *path);
char *sqlite_file_uri(const char *path);

/*
 * Return the kind of file system that the file is on, such as "nfs", if other hosts may use it at
 * the same time; else NULL. FUSE counts, unless it is on a disk of this host.
 */
const char *network_file_system(const char *path);

#endif
