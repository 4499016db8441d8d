/*
 * Opens a file of the index again, to read the bytes that were indexed.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_REOPEN_H
#define SIMHASH_FIND_REOPEN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "find/rule/file.h"

/*
 * A descriptor of a file that still has the size and the time that were indexed; for inflated
 * content, of the gzip file that it is in. -1 with *why, which is an errno, or 0 where the file has
 * changed.
 */
int reopen_file(const struct find_file *file, struct stat *status, int *why);

/* Read `size` bytes from the start. -1 with *why, as above. */
int reread_file(int fd, uint8_t *bytes, size_t size, int *why);

#endif
