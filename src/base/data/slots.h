/*
 * A hash table of item numbers. The table finds the number of an item; the caller stores the items
 * and compares them. A slot has 8 bytes, and at most half of the slots are in use.
 *
 *     if (slots_reserve(&slots, &error) != 0)                // room for one more
 *             return -1;
 *     slot = slots_find(&slots, hash, is_same, &key);        // is_same(&key, number)
 *     if (slot->number == NO_ITEM)
 *             slots_add(&slots, slot, hash, number_of_new_item);
 *
 * Use base/basic/seed.h to hash keys that come from outside. All hash tables of the project are
 * made with it, except find/pairs/key_index: that one sorts all rows into buckets at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SLOTS_H
#define SIMHASH_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

#define NO_ITEM 0 /* the numbers of items begin with 1 */
#define SLOTS_FIRST 64

struct slot {
	uint32_t hash, number;
};

/* All zero to begin with. */
struct slots {
	struct slot *items;
	size_t count, used;
};

static inline void slots_release(struct slots *slots)
{
	free(slots->items);
	*slots = (struct slots){.items = NULL};
}

/* Remove all items. A table of at most `most` slots keeps its memory. */
static inline void slots_clear(struct slots *slots, size_t most)
{
	if (slots->count > most) {
		slots_release(slots);
		return;
	}
	/* Clearing all slots costs no more than filling them did. */
	if (slots->used > 0)
		memset(slots->items, 0, slots->count * sizeof *slots->items);
	slots->used = 0;
}

/* Load the slot where the search for a hash begins. The table must not be empty. */
static inline void slots_prefetch(const struct slots *slots, uint64_t hash)
{
	__builtin_prefetch(&slots->items[(uint32_t)hash & (slots->count - 1)]);
}

/* Does an item have the key that is searched for? */
typedef bool slots_same_fn(const void *key, uint32_t number);

/* The slot of an item, or a free one where it belongs. There must be one: see slots_reserve. */
static inline struct slot *slots_find(const struct slots *slots, uint64_t hash,
				      slots_same_fn *is_same, const void *key)
{
	size_t mask = slots->count - 1, at = (uint32_t)hash & mask;

	while (slots->items[at].number != NO_ITEM &&
	       (slots->items[at].hash != (uint32_t)hash || !is_same(key, slots->items[at].number)))
		at = (at + 1) & mask;
	return &slots->items[at];
}

/* The number of an item, or NO_ITEM; also for an empty table. */
static inline uint32_t slots_number(const struct slots *slots, uint64_t hash,
				    slots_same_fn *is_same, const void *key)
{
	return slots->count == 0 ? NO_ITEM : slots_find(slots, hash, is_same, key)->number;
}

/* Enter an item in the free slot that slots_find has returned. */
static inline void slots_add(struct slots *slots, struct slot *slot, uint64_t hash, uint32_t number)
{
	*slot = (struct slot){(uint32_t)hash, number};
	slots->used++;
}

static inline struct slot *slots_find_free(const struct slots *slots, uint32_t hash)
{
	size_t mask = slots->count - 1, at = hash & mask;

	while (slots->items[at].number != NO_ITEM)
		at = (at + 1) & mask;
	return &slots->items[at];
}

/* The slots of a table with room for so many items. */
static inline size_t slots_for(size_t items)
{
	size_t count = SLOTS_FIRST;

	while (count / 2 < items)
		count *= 2;
	return count;
}

/* The bytes that they take. */
static inline size_t slots_bytes(size_t items)
{
	return slots_for(items) * sizeof(struct slot);
}

/* Make room for so many items, also those that are in the table. Errors: SIMHASH_E_MEMORY, SIMHASH_E_RANGE beyond 2^31. */
static inline int slots_reserve_all(struct slots *slots, size_t items, struct simhash_error *error)
{
	struct slots larger = {.count = slots_for(items)};

	if (items <= slots->count / 2)
		return 0;
	if (items > UINT32_MAX / 2)
		return error_set(error, SIMHASH_E_RANGE, "more than 2^31 entries of a table");
	larger.items = calloc(larger.count, sizeof *larger.items);
	if (larger.items == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < slots->count; i++)
		if (slots->items[i].number != NO_ITEM)
			*slots_find_free(&larger, slots->items[i].hash) = slots->items[i];
	larger.used = slots->used;
	free(slots->items);
	*slots = larger;
	return 0;
}

/* Make room for one item more. */
static inline int slots_reserve(struct slots *slots, struct simhash_error *error)
{
	return slots->used < slots->count / 2 ? 0
					      : slots_reserve_all(slots, slots->used + 1, error);
}

#endif
