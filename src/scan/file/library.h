/*
 * Loads a shared library only where it is needed. Most runs do not need the libraries for mail and
 * images of disks, and these need many others.
 *
 *     #define FUNCTIONS(F) F(open) F(close)
 *     #define POINTER(name) __typeof__(other_##name) *name;
 *     #define NAME(name) "other_" #name,
 *
 *     static struct { FUNCTIONS(POINTER) } other;
 *     static const char *const names[] = {FUNCTIONS(NAME) NULL};
 *
 *     if (library_load(OTHER_FILE, names, &other))
 *             other.open("name");
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_LIBRARY_H
#define SIMHASH_SCAN_LIBRARY_H

#include <stdbool.h>

/*
 * Load a library for the life of the process, and find the functions with these names, also in the
 * libraries that it needs. NULL ends the list. `table` is a struct of pointers to these functions,
 * in the same order. `file` is the path that the library had when simhash was built; the system
 * searches for its base name. Returns false if the library or a function is missing. Any thread may
 * call this, but the table must not be in use.
 */
bool library_load(const char *file, const char *const *names, void *table);

/* Does the system have the library? It is loaded only if it is not in its usual place. */
bool library_is_installed(const char *file);

#endif
