/*
 * Adds functions that SQL can call to the functions of SQLite.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_FUNCTIONS_H
#define SIMHASH_STORE_SQLITE_FUNCTIONS_H

#include <sqlite3.h>

#define ROW_TEST "row_test" /* the type of a pointer to a struct row_test */

/*
 * Add two functions, which return 1 or 0. A schema cannot call them. Returns an SQLite code.
 * - outline_is_near(outline_00, outline_08, range): see cells.h. `range` has the bytes of a struct
 *   outline_range.
 * - row_passes(test, first, second, bytes): see database.h. `test` is a pointer.
 */
int sqlite_functions_add(sqlite3 *handle);

#endif
