/*
 * Adds functions that SQL can call to the functions of SQLite.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_FUNCTIONS_H
#define SIMHASH_STORE_SQLITE_FUNCTIONS_H

#include <sqlite3.h>

/*
 * Add outline_is_near(outline_00, outline_08, range), which returns 1 or 0: see cells.h. `range`
 * has the bytes of a struct outline_range. A schema cannot call it. Returns an SQLite code.
 */
int sqlite_functions_add(sqlite3 *handle);

#endif
