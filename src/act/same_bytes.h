/*
 * Compares two open files byte by byte and hashes the compared bytes. Also copies a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SAME_BYTES_H
#define SIMHASH_ACT_SAME_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/keep.h"

/*
 * 1: the same, with the hash of their content; 0: they differ; -1 with errno, which is ECANCELED if
 * `goes_on` returned false. It is asked before each piece.
 */
int same_bytes(int x, int y, uint8_t hash[KEEP_HASH_SIZE], bool (*goes_on)(const void *context),
	       const void *context);

/*
 * Copy all bytes of a file to an empty one, and leave its holes holes; `to` -1: only hash them. -1 with
 * errno.
 */
int copy_bytes(int from, int to, uint8_t hash[KEEP_HASH_SIZE]);

#endif
