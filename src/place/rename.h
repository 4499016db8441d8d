/*
 * Renames files without replacing others, and exchanges two names, in one step if the system
 * supports it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_PLACE_RENAME_H
#define SIMHASH_PLACE_RENAME_H

/*
 * Each returns 0, or -1 with errno. ENOTSUP: this system or file system cannot do it in one step,
 * and nothing was changed.
 */
int rename_exchange(int directory_fd, const char *a, const char *b);
int rename_to_free(int from_fd, const char *from, int to_fd, const char *to); /* EEXIST */

/*
 * The same as rename_to_free, but by a link if the one-step call is not supported. The file then
 * has both names for a moment. File systems without links report EPERM or ENOTSUP.
 */
int move_to_free(int from_fd, const char *from, int to_fd, const char *to);

#endif
