/*
 * Keys that find files with similar sketches without comparing all with all. A sketch has 32 keys,
 * each of four registers, and files that share a key are compared. If no register is empty, two
 * sketches that differ in fewer than 32 registers share a key for certain; that is a resemblance of
 * 0.76.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SKETCH_KEYS_H
#define SIMHASH_FIND_SKETCH_KEYS_H

#include "find/rule/file.h"

#define SKETCH_KEYS 32

/* The keys of one sketch. */
struct sketch_keys {
	uint32_t key[SKETCH_KEYS];
};

void sketch_keys_make(const struct simhash_resemblance_sketch *sketch, struct sketch_keys *keys);

/* Has it a sketch, and any keys? Files without one shingle have all in common, and no estimate. */
bool sketch_has_shingles(const struct find_file *file);

/* Do two sketches share a key? */
bool sketches_share_key(const struct simhash_resemblance_sketch *x,
			const struct simhash_resemblance_sketch *y);

#endif
