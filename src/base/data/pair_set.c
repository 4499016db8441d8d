/*
 * Keeps the pairs in an array, and finds them by a hash table of their numbers.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/pair_set.h"

#include <stdlib.h>

#include "base/basic/seed.h"
#include "base/data/array.h"

struct pair_key {
	const struct pair_set *set;
	struct pair pair;
};

static bool is_pair(const void *key, uint32_t number)
{
	const struct pair_key *wanted = key;
	const struct pair *pair = &wanted->set->pairs[number - 1];

	return pair->first == wanted->pair.first && pair->second == wanted->pair.second;
}

static uint64_t hash_pair(struct pair pair)
{
	return hash_seeded(pair.first, pair.second);
}

void pair_set_release(struct pair_set *set)
{
	slots_release(&set->slots);
	free(set->pairs);
	*set = (struct pair_set){.pairs = NULL};
}

int pair_set_add(struct pair_set *set, struct pair pair)
{
	uint64_t hash = hash_pair(pair);
	struct slot *slot;

	if (slots_reserve(&set->slots, NULL) != 0 ||
	    array_reserve(&set->pairs, &set->capacity, set->count + 1, sizeof *set->pairs, NULL) !=
		    0)
		return -1;
	slot = slots_find(&set->slots, hash, is_pair, &(struct pair_key){set, pair});
	if (slot->number != NO_ITEM)
		return 0;
	set->pairs[set->count++] = pair;
	slots_add(&set->slots, slot, hash, (uint32_t)set->count);
	return 1;
}

bool pair_set_has(const struct pair_set *set, struct pair pair)
{
	return slots_number(&set->slots, hash_pair(pair), is_pair, &(struct pair_key){set, pair}) !=
	       NO_ITEM;
}
