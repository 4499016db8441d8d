/*
 * Computes ranges of path hashes. The rows of a directory are one range. While rows are read in the
 * order of their path hashes, the remaining range becomes smaller.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_HASH_RANGE_H
#define SIMHASH_STORE_HASH_RANGE_H

#include <stdbool.h>

#include "store/row/file_row.h"

/* The lowest and the highest path hash; both are included. */
struct hash_range {
	uint8_t low[PATH_HASH_SIZE], high[PATH_HASH_SIZE];
};

struct hash_range hash_range_of_directory(const uint8_t directory[DIRECTORY_HASH_SIZE]);
struct hash_range hash_range_of_file(const uint8_t path_hash[PATH_HASH_SIZE]);

/* Return one of `parts` parts of all hashes, 0 .. parts - 1. All parts have the same size. */
struct hash_range hash_range_of_part(unsigned part, unsigned parts);

/*
 * Return the range after `after` (NULL: from the first hash) up to `last` (NULL: to the last hash).
 * False if no hash comes after `after`.
 */
bool hash_range_after(const uint8_t *after, const uint8_t *last, struct hash_range *range);

/* Increase `low` to the next hash. False if it is the last hash. */
bool hash_range_step(uint8_t low[PATH_HASH_SIZE]);

/*
 * Check that the path hash `hash` of the next row is not below `low`. A damaged index may return
 * rows in any order, and a reader that continues after the last row would never stop.
 */
int hash_range_check(const uint8_t low[PATH_HASH_SIZE], const uint8_t hash[PATH_HASH_SIZE],
		     struct simhash_error *error);

#endif
