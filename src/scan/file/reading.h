/*
 * Reads a regular file from start to end and leaves the page cache unchanged: if no byte of the file
 * was cached, its bytes are dropped from the cache after they were read. So indexing a tree does not
 * displace the files that other programs use.
 *
 *     reading_begin(&reading, fd, size_bytes);
 *     got = reading_first(&reading, buffer, size);
 *     ... reading_at(&reading, offset, buffer, size), reading_is_done(&reading, offset)
 *     reading_close(fd, !reading.was_cached);
 *
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
	bool is_known;		 /* is it known whether the file was cached? */
	bool was_cached;
	bool is_around; /* see reading_begin_around */
	bool has_holes;
	int64_t first_hole; /* the offset of the first hole, if there is one */
	bool drops_behind;  /* drop the bytes of a large file soon */
	int64_t dropped;    /* the number of dropped bytes */
};

/* `size_bytes` is the expected size of the file. The caller keeps the descriptor. */
void reading_begin(struct reading *reading, int fd, int64_t size_bytes);

/*
 * Find out whether the file has holes, which are then not read. Calls for this move the position of
 * the descriptor.
 */
void reading_find_holes(struct reading *reading, int64_t size_bytes);

/*
 * Like both, but read from the medium instead of the page cache, as far as the system allows. From
 * then on, offsets and sizes are multiples of READING_BLOCK, and so are the addresses of buffers.
 * Close with reading_close(fd, reading_fills_cache(fd)).
 */
#define READING_BLOCK 4096
void reading_begin_around(struct reading *reading, int fd, int64_t size_bytes);
bool reading_fills_cache(int fd);

/*
 * If `size` bytes at `offset` are all in a hole, return zeros in their place, else NULL. `size` is at
 * most FILE_SCANNER_ROOM.
 */
const uint8_t *reading_hole(const struct reading *reading, int64_t offset, size_t size);

/*
 * Read `size` bytes at `offset`, or fewer at the end. Returns their number, or -1 with errno. Any
 * number of threads may read at once.
 */
ssize_t reading_at(const struct reading *reading, int64_t offset, void *buffer, size_t size);

/* The same at offset 0, once, before other reads. */
ssize_t reading_first(struct reading *reading, void *buffer, size_t size);

/* The bytes before `offset` are no longer needed. */
void reading_is_done(struct reading *reading, int64_t offset);

/*
 * Close a file as close_content does, and keep errno. `drops`: before that, drop it from the page
 * cache, except pages that other programs have mapped.
 */
void reading_close(int fd, bool drops);

#endif
