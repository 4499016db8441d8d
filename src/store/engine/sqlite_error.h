/*
 * Turns an error of SQLite into an error of the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_ERROR_H
#define SIMHASH_STORE_SQLITE_ERROR_H

#include <sqlite3.h>

#include "simhash.h"

/* The last error of a connection: "cannot use index sqlite:PATH: ...". Returns -1. */
int sqlite_error_set(sqlite3 *handle, const char *path, const char *what,
		     struct simhash_error *error);

/* The same of a query, which may also have failed for want of room to sort in. */
int sqlite_error_set_query(sqlite3 *handle, const char *path, struct simhash_error *error);

#endif
