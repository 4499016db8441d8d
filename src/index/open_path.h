/*
 * Opening paths of any length: the kernel takes at most PATH_MAX bytes at once, so
 * a longer one is opened directory by directory in pieces that fit.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_OPEN_PATH_H
#define SIMHASH_INDEX_OPEN_PATH_H

/* As open(2) without a mode: a descriptor, or -1 with errno. */
int open_path(const char *path, int flags);

#endif
