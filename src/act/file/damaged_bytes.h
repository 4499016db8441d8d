/*
 * Saves the bytes of a damaged file that differ from an intact copy, and restores them. They are in
 * a companion of the journal, "JOURNAL.bytes", which only its owner can read.
 *
 *     status = damaged_bytes_compare(&right, fd, size_bytes, &bytes, &found, &of_right);
 *     status = damaged_bytes_sync(&bytes);
 *     status = right_bytes_write(&right, to, found.is_sparse, hash);
 *
 * The bytes of a file are a sequence of ranges: its offset, its size, and the damaged bytes. A range
 * that could not be read has no bytes. Numbers have 8 bytes, the highest byte first. All functions
 * return -1 with errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_DAMAGED_BYTES_H
#define SIMHASH_ACT_DAMAGED_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/keep.h"

/* The companion file. fd -1: it does not exist yet. */
struct damaged_bytes {
	const char *journal;
	int fd;
	int64_t size;
};

/* The right content: an open file, or bytes in memory if `bytes` is set. */
struct right_bytes {
	int fd;
	const uint8_t *bytes;
	int64_t size_bytes;
};

struct damaged_found {
	uint8_t right_hash[KEEP_HASH_SIZE]; /* of the right bytes that were read */
	/* Of the damaged content, with the right bytes in blocks that cannot be read. */
	uint8_t damaged_hash[KEEP_HASH_SIZE];
	int64_t different_bytes, unreadable_bytes;
	int64_t at, size; /* the place of the ranges in the companion file */
};

/*
 * Compare a damaged file with the right content, around the page cache, and append the ranges to the
 * companion file, which is created if necessary. On -1, *of_right is 1 if the right content could not
 * be read; otherwise it is -1.
 */
int damaged_bytes_compare(const struct right_bytes *right, int damaged_fd, int64_t damaged_size,
			  struct damaged_bytes *bytes, struct damaged_found *found, int *of_right);

/* Write the companion file to the disk. */
int damaged_bytes_sync(const struct damaged_bytes *bytes);

/* Remove the ranges that were appended last. */
void damaged_bytes_drop(struct damaged_bytes *bytes, const struct damaged_found *found);

/* Close it, and remove it if it is empty. */
void damaged_bytes_close(struct damaged_bytes *bytes);

/* Write the right content to an empty file, with holes for zeros if it is sparse, and hash it. */
int right_bytes_write(const struct right_bytes *right, int to, bool is_sparse,
		      uint8_t hash[KEEP_HASH_SIZE]);

/* Hash the content of a file around the page cache, as far as possible. `size` is its size. */
int hash_around(int fd, int64_t size, uint8_t hash[KEEP_HASH_SIZE]);

/*
 * Write the damaged content to an empty file: the right content `from` with the ranges of the
 * companion file of a journal. EBADMSG: the companion file does not have these ranges.
 */
int damaged_bytes_restore(const char *journal, int64_t at, int64_t size, int from,
			  int64_t damaged_size, int to, uint8_t hash[KEEP_HASH_SIZE]);

#endif
