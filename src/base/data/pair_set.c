/*
 * Stores pairs of numbers in a growing hash table with open addressing.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/pair_set.h"

#include <stdlib.h>

#include "base/basic/seed.h"

static bool is_zero(struct pair pair)
{
	return pair.first == 0 && pair.second == 0;
}

static struct pair *find(const struct pair_set *set, struct pair pair)
{
	size_t mask = set->slot_count - 1, i = (size_t)hash_seeded(pair.first, pair.second) & mask;

	while (!is_zero(set->slots[i]) &&
	       (set->slots[i].first != pair.first || set->slots[i].second != pair.second))
		i = (i + 1) & mask;
	return &set->slots[i];
}

static int grow(struct pair_set *set)
{
	struct pair_set larger = {.slot_count = set->slot_count == 0 ? 256 : set->slot_count * 2};

	larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
	if (larger.slots == NULL)
		return -1;
	for (size_t i = 0; i < set->slot_count; i++)
		if (!is_zero(set->slots[i]))
			*find(&larger, set->slots[i]) = set->slots[i];
	free(set->slots);
	set->slots = larger.slots;
	set->slot_count = larger.slot_count;
	return 0;
}

void pair_set_release(struct pair_set *set)
{
	free(set->slots);
	*set = (struct pair_set){NULL, 0, 0, false};
}

int pair_set_add(struct pair_set *set, struct pair pair)
{
	struct pair *slot;

	if (is_zero(pair)) {
		int is_new = !set->has_zero;
		set->has_zero = true;
		return is_new;
	}
	if (set->used * 4 >= set->slot_count * 3 && grow(set) != 0)
		return -1;
	slot = find(set, pair);
	if (!is_zero(*slot))
		return 0;
	*slot = pair;
	set->used++;
	return 1;
}

bool pair_set_has(const struct pair_set *set, struct pair pair)
{
	if (is_zero(pair))
		return set->has_zero;
	return set->slot_count > 0 && !is_zero(*find(set, pair));
}
