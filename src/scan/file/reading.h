/*
 * Reads a regular file from start to end and leaves the page cache unchanged. If a large file was
 * not cached, its bytes are dropped from the cache after they are read, so indexing an archive does
 * not displace the machine's working set.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_READING_H
#define SIMHASH_SCAN_READING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct reading {
	int fd;
	const atomic_bool *stop; /* ends an interrupted read with EINTR; or NULL */
	bool drops_behind;
	int64_t dropped; /* the number of dropped bytes */
};

/* `size_bytes` is the expected size of the file. The caller keeps the descriptor. */
void reading_begin(struct reading *reading, int fd, int64_t size_bytes);

/*
 * Read `size` bytes at `offset`, or fewer at the end. Returns their number, or -1 with errno. Any
 * number of threads may read at once.
 */
ssize_t reading_at(const struct reading *reading, int64_t offset, void *buffer, size_t size);

/* The bytes before `offset` are no longer needed. */
void reading_is_done(struct reading *reading, int64_t offset);

#endif
