/*
 * Finds files with similar sketches by keys, without comparing all files with each other. A sketch
 * has 32 keys, each of four registers, and files that share a key are compared. If no register is
 * empty, two sketches that differ in fewer than 32 registers always share a key; this corresponds
 * to a resemblance of 0.76.
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

/*
 * Does it have a sketch with at least one shingle? Without a shingle, there is no estimate and no
 * useful key.
 */
bool sketch_has_shingles(const struct find_file *file);

/* Do two sketches share a key? */
bool sketches_share_key(const struct simhash_resemblance_sketch *x,
			const struct simhash_resemblance_sketch *y);

#endif
