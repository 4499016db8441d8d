/*
 * Ranges of path hashes. The rows of a directory are one range, and reading in order of path hash
 * leaves a smaller range.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_HASH_RANGE_H
#define SIMHASH_STORE_HASH_RANGE_H

#include <stdbool.h>

#include "store/row/file_row.h"

/* The lowest and the highest path hash, both included. */
struct hash_range {
	uint8_t low[PATH_HASH_SIZE], high[PATH_HASH_SIZE];
};

struct hash_range hash_range_of_directory(const uint8_t directory[DIRECTORY_HASH_SIZE]);
struct hash_range hash_range_of_file(const uint8_t path_hash[PATH_HASH_SIZE]);

/* Part 0 .. parts - 1 of all hashes, of which each has as many as another. */
struct hash_range hash_range_of_part(unsigned part, unsigned parts);

/*
 * The range after `after` (NULL: from the first hash) up to `last` (NULL: to the last hash).
 * False when no hash comes after `after`.
 */
bool hash_range_after(const uint8_t *after, const uint8_t *last, struct hash_range *range);

/* Raise `low` to the hash after `low`; false when it is the last one. */
bool hash_range_step(uint8_t low[PATH_HASH_SIZE]);

/*
 * Check that the next row, of path hash `hash`, is not below `low`. A damaged index may give
 * rows in any order, and a reader that goes on after the last one would never end.
 */
int hash_range_check(const uint8_t low[PATH_HASH_SIZE], const uint8_t hash[PATH_HASH_SIZE],
		     struct simhash_error *error);

#endif
