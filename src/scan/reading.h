/*
 * Reading a regular file from front to back, and leaving the page cache as it
 * was: a large file that was not in it is let go of behind the reader, so that
 * indexing an archive does not push out what the machine works with.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_READING_H
#define SIMHASH_SCAN_READING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct reading {
	int fd;
	bool drops_behind;
	int64_t dropped; /* bytes */
};

/* `size_bytes` is what the file is believed to have. The descriptor stays the caller's. */
void reading_begin(struct reading *reading, int fd, int64_t size_bytes);

/*
 * Read `size` bytes at `offset`, or as many as there are. Returns their number, or
 * -1 with errno. Any number of threads may read at once.
 */
ssize_t reading_at(const struct reading *reading, int64_t offset, void *buffer, size_t size);

/* All before `offset` has been read and is not needed again. */
void reading_is_done(struct reading *reading, int64_t offset);

#endif
