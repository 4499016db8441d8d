/*
 * Functions for paths. A path is bytes; only '/' and the terminating zero have a meaning.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_PATH_H
#define SIMHASH_BASE_PATH_H

#include <stdbool.h>

#include "base/basic/bytes.h"

/* "directory/name", with one slash between; the caller frees it. NULL when memory is short. */
char *path_join(struct bytes directory, struct bytes name);

/* The directory of a path, "." where it names none, and the name in it. Both are borrowed. */
struct bytes path_directory(const char *path);
const char *path_name(const char *path);

/* The directory that an absolute path is in; the root directory has no bytes, as has its own. */
struct bytes path_above(struct bytes path);

/* Make an absolute directory the nearest one above it that has also this path. */
void path_widen(struct bytes *directory, struct bytes path);

/*
 * The absolute path of what a user names. Its directories are resolved as far as they exist;
 * its last part is kept as it is, so that what is gone, or has become a link, can still be
 * named. The caller frees it. NULL with errno; the empty path is ENOENT.
 */
char *path_absolute(const char *path);

/* Is `path` the directory `top`, or something below it? Both absolute. */
bool path_is_at_or_below(struct bytes path, struct bytes top);

/* Below 0, 0 or above: each directory comes before those inside it, and these before all others. */
int path_compare(struct bytes x, struct bytes y);

#endif
