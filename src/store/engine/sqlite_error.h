/*
 * Turns an error of SQLite into an error of the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_ERROR_H
#define SIMHASH_STORE_SQLITE_ERROR_H

#include <sqlite3.h>

#include "simhash.h"

/* Set the last error of a connection: "cannot use index sqlite:PATH: ...". Returns -1. */
int sqlite_error_set(sqlite3 *handle, const char *path, const char *what,
		     struct simhash_error *error);

/* The same for a query, which may also fail because a sort has too little room. */
int sqlite_error_set_query(sqlite3 *handle, const char *path, struct simhash_error *error);

#endif
