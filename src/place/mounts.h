/*
 * Decides whether a file is inside certain directories, no matter through which mounts both are
 * reached.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_MOUNTS_H
#define SIMHASH_ACT_MOUNTS_H

#include "place/mount_table.h"

struct mounts;

/*
 * For directories that exist. Only one thread may use it. *mounts is NULL if the system does not
 * show mounts: on Linux without /proc or if it does not show the location of a directory, and on
 * other systems. The caller closes it on 0.
 */
int mounts_open(const struct bytes *directories, size_t count, struct mounts **mounts,
		struct simhash_error *error);
void mounts_close(struct mounts *mounts); /* also accepts NULL */

/*
 * Is this name in an open directory inside one of the directories? If there is no such file, is the
 * open directory?
 */
enum mount_answer mounts_tell(struct mounts *mounts, int directory_fd, const char *name);

#endif
