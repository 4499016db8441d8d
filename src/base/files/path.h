/*
 * Joins, splits, resolves and compares paths. A path is bytes; only '/' and the terminating zero
 * have a meaning.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_PATH_H
#define SIMHASH_BASE_PATH_H

#include <stdbool.h>

#include "base/basic/bytes.h"

/*
 * Return "directory/name" with one slash between them. The caller frees it. NULL if memory is
 * short.
 */
char *path_join(struct bytes directory, struct bytes name);

/* Return the directory of a path ("." if it has none), and the last name. Both are borrowed. */
struct bytes path_directory(const char *path);
const char *path_name(const char *path);

/* The directory that an absolute path is in; the root directory has no bytes, as has its own. */
struct bytes path_above(struct bytes path);

/* Make an absolute directory the nearest one above it that has also this path. */
void path_widen(struct bytes *directory, struct bytes path);

/*
 * Return the absolute path of a name that a user gives. Directories are resolved as far as they
 * exist. The last part does not change, so a user can name a removed file or a file that has become
 * a link. The caller frees the path. NULL with errno; the empty path gives ENOENT.
 */
char *path_absolute(const char *path);

/* Returns true if `path` is the directory `top` or is below it. Both are absolute. */
bool path_is_at_or_below(struct bytes path, struct bytes top);

/*
 * Compare: returns < 0, 0 or > 0. A directory comes before its entries, and these come before all
 * other paths.
 */
int path_compare(struct bytes x, struct bytes y);

#endif
