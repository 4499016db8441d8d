/*
 * Sorts items by a comparison with a context, numbers, and texts.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SORT_H
#define SIMHASH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/basic/bytes.h"

/* Below 0, 0 or above: a comes before b, equals it, or comes after. */
typedef int sort_compare_fn(const void *a, const void *b, void *context);

/* qsort(3) with a context for the comparison. Any thread. */
void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare,
	       void *context);

/* A double as a number of the same order: the sign bit makes negative ones smaller, and turns them. */
static inline uint64_t sort_number(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The index of an item, and the key by which it is sorted. */
struct sort_item {
	uint64_t key;
	uint64_t number;
};

/* Sort numbers; `scratch` has room for as many. */
void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count);

/* Sort by the lowest `bits` of the keys, stably; `scratch` has room for as many. */
void sort_items(struct sort_item *items, struct sort_item *scratch, size_t count, unsigned bits);

/* The text that an item stands for by its number. */
typedef struct bytes sort_text_fn(uint64_t number, const void *context);

/*
 * Sort items by the bytes of their texts; their keys are overwritten. `scratch` has room for as many.
 * Eight bytes of all texts at a time: texts that begin alike, as paths do, are compared once and not
 * with each other.
 */
void sort_texts(struct sort_item *items, struct sort_item *scratch, size_t count,
		sort_text_fn *text_of, const void *context);

#endif
