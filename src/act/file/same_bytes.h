/*
 * Compares two open files byte by byte and hashes the compared bytes. It can also copy a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SAME_BYTES_H
#define SIMHASH_ACT_SAME_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/keep.h"

/* Files are read in pieces of so many bytes. */
#define SAME_BYTES_PIECE ((size_t)256 << 10)

/*
 * Returns 1 if they are identical, with the hash of their content; 0 if they differ; -1 with errno.
 * `goes_on` is called before each piece; if it returns false, errno is ECANCELED.
 */
int same_bytes(int x, int y, uint8_t hash[KEEP_HASH_SIZE], bool (*goes_on)(const void *context),
	       const void *context);

/* The same for a file and bytes in memory. */
int is_same_as_bytes(int x, const uint8_t *bytes, size_t size, uint8_t hash[KEEP_HASH_SIZE],
		     bool (*goes_on)(const void *context), const void *context);

/*
 * Copy all bytes of a file to an empty file, and keep its holes. `to` -1: only hash the bytes. -1
 * with errno.
 */
int copy_bytes(int from, int to, uint8_t hash[KEEP_HASH_SIZE]);

/*
 * The same, but `goes_on` is called before each piece, as in same_bytes. The system begins to write
 * each piece to the disk at once, so few bytes wait for the disk at the end.
 */
int copy_bytes_while(int from, int to, uint8_t hash[KEEP_HASH_SIZE],
		     bool (*goes_on)(const void *context), const void *context);

#endif
