/*
 * Renames files without replacing any, and exchanges two names, in one step if the system can do
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_RENAME_H
#define SIMHASH_ACT_RENAME_H

/*
 * Each returns 0, or -1 with errno. ENOTSUP: this system, or this file system, cannot do it in one
 * step; nothing has been done.
 */
int rename_exchange(int directory_fd, const char *a, const char *b);
int rename_to_free(int from_fd, const char *from, int to_fd, const char *to); /* EEXIST */

/*
 * The same as rename_to_free by a link where there is no such step: for a moment the file has both
 * names. File systems without links report EPERM or ENOTSUP.
 */
int move_to_free(int from_fd, const char *from, int to_fd, const char *to);

#endif
