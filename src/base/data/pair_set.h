/*
 * A set of pairs of 64-bit numbers. A walk uses it for the directories that it has seen, by hash or
 * by device and inode. A slot takes 16 bytes, and three to six eighths of the slots are in use.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_PAIR_SET_H
#define SIMHASH_BASE_PAIR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint64_t first, second;
};

struct pair_set {
	struct pair *slots; /* {0, 0} is a free slot; has_zero says if that pair is in the set */
	size_t slot_count, used;
	bool has_zero;
};

void pair_set_release(struct pair_set *set);

/* Add a pair. Returns 1 when it is new, 0 when it was there, -1 when memory is short. */
int pair_set_add(struct pair_set *set, struct pair pair);

bool pair_set_has(const struct pair_set *set, struct pair pair);

#endif
