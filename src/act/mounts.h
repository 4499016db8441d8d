/*
 * Decides whether a file is inside one of some directories, regardless of the mounts on the paths
 * to both.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_MOUNTS_H
#define SIMHASH_ACT_MOUNTS_H

#include "act/mount_table.h"

struct mounts;

/*
 * Of directories that exist, of one thread. *mounts is NULL where the system does not tell of mounts:
 * on Linux where there is no /proc, or where it does not tell where one of them lies, and on others. The caller closes it on 0.
 */
int mounts_open(const struct bytes *directories, size_t count, struct mounts **mounts,
		struct simhash_error *error);
void mounts_close(struct mounts *mounts); /* NULL is allowed */

/*
 * Does this name in an open directory lie in one of them? If it stands for nothing, does the open
 * directory?
 */
enum mount_answer mounts_tell(struct mounts *mounts, int directory_fd, const char *name);

#endif
