/*
 * The functions that SQL may call in addition to SQLite's functions.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_FUNCTIONS_H
#define SIMHASH_STORE_SQLITE_FUNCTIONS_H

#include <sqlite3.h>

/*
 * outline_is_near(outline_00, outline_08, range): 1 or 0, see cells.h; the range is the bytes of a
 * struct outline_range. No schema can call it. Returns a code of SQLite.
 */
int sqlite_functions_add(sqlite3 *handle);

#endif
