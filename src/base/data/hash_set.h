/*
 * Stores a set of hashes of one size, packed and sorted. It takes the bytes of the hashes and about
 * one index entry for every 16 hashes.
 *
 *     struct hash_set set = {.width = 32};
 *     hash_set_add(&set, hash, &error);   // for each
 *     hash_set_sort(&set, &error);
 *     hash_set_has(&set, hash);
 *     hash_set_release(&set);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_HASH_SET_H
#define SIMHASH_BASE_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct hash_set {
	size_t width; /* bytes of a hash: 4 to 64 */
	uint8_t *hashes;
	size_t count, capacity;
	/* After sorting: begins[i] is the first hash that starts with the bits of i. */
	size_t *begins;
	unsigned bits;
};

int hash_set_add(struct hash_set *set, const uint8_t *hash, struct simhash_error *error);

/* Sort in place and remove duplicates. More hashes can be added, and sorted again. */
int hash_set_sort(struct hash_set *set, struct simhash_error *error);

/* Look up a hash after hash_set_sort. Any thread may call this. */
bool hash_set_has(const struct hash_set *set, const uint8_t *hash);

/* Return the memory that the set takes. */
size_t hash_set_bytes(const struct hash_set *set);

/* Free the hashes, and keep the width. */
void hash_set_release(struct hash_set *set);

#endif
