/*
 * Resolves ARCHIVE//MEMBER, the path of a member of an archive.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_MEMBER_PATH_H
#define SIMHASH_FIND_MEMBER_PATH_H

/* Return the separator "//" after the archive in a resolved path, or NULL: it names a file. */
const char *member_separator(const char *path);

/*
 * Resolve ARCHIVE//MEMBER. The archive may have been removed since it was indexed. Return the path,
 * which the caller frees, or NULL with errno.
 */
char *member_resolve(const char *path);

#endif
