/*
 * A set of pairs of 64-bit numbers. A walk uses it for the directories that it has seen, by hash or
 * by device and inode.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_PAIR_SET_H
#define SIMHASH_BASE_PAIR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/slots.h"

struct pair {
	uint64_t first, second;
};

/* All zero to begin with. */
struct pair_set {
	struct pair *pairs;
	size_t count, capacity;
	struct slots slots; /* numbers of pairs */
};

void pair_set_release(struct pair_set *set);

/* Add a pair. Returns 1 if it is new, 0 if the set has it, -1 if memory is short. */
int pair_set_add(struct pair_set *set, struct pair pair);

bool pair_set_has(const struct pair_set *set, struct pair pair);

#endif
