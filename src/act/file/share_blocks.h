/*
 * Counts the disk space of files, and lets two files share blocks.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SHARE_BLOCKS_H
#define SIMHASH_ACT_SHARE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "simhash.h"

/*
 * Can two files share blocks? This checks as much as possible without sharing them. -1 with the
 * reason.
 */
int check_sharing(int kept, int copy, struct simhash_error *why);

/* Return the disk space of a file: its size or, if it has holes, the bytes of its blocks. */
uint64_t disk_bytes(const struct stat *status);

/*
 * Return the bytes of a file that removing it would free: all bytes except holes and blocks that it
 * shares with other files.
 */
uint64_t own_bytes(int fd, const struct stat *status);

/* Do two files with the same content already share all their blocks? */
bool has_same_blocks(int kept, int copy);

/* Let `copy` share the blocks of `kept`, after the kernel has compared them. -1 with the reason. */
int share_blocks(int kept, int copy, int64_t size_bytes, struct simhash_error *why);

#endif
