/*
 * Opens a file of the index again to read the indexed bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_REOPEN_H
#define SIMHASH_FIND_REOPEN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "find/rule/file.h"

/*
 * Open a file that still has its indexed size and time; for inflated content, open its gzip file.
 * Returns -1 on failure: *why is an errno, or 0 if the file has changed.
 */
int reopen_file(const struct find_file *file, struct stat *status, int *why);

/* Read `size` bytes from the start. Returns -1 with *why, as above. */
int reread_file(int fd, uint8_t *bytes, size_t size, int *why);

#endif
