/*
 * Sorts numbers, texts, and items by a comparison with a context.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SORT_H
#define SIMHASH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/basic/bytes.h"

/* Compares a and b: returns < 0, 0 or > 0. */
typedef int sort_compare_fn(const void *a, const void *b, void *context);

/* Sort like qsort(3), with a context for the comparison. Any thread may call this. */
void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare,
	       void *context);

/*
 * Convert a double to a number of the same order: flip the sign bit, or all bits of a negative
 * number.
 */
static inline uint64_t sort_number(double value)
{
	uint64_t bits;

	value += 0.0; /* makes -0 equal to 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The index of an item, and its sort key. */
struct sort_item {
	uint64_t key;
	uint64_t number;
};

/* Sort numbers. `scratch` has room for the same number of them. */
void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count);

/* Sort stably by the lowest `bits` of the keys. `scratch` has room for as many items. */
void sort_items(struct sort_item *items, struct sort_item *scratch, size_t count, unsigned bits);

/* Returns the text of the item with this number. */
typedef struct bytes sort_text_fn(uint64_t number, const void *context);

/*
 * Sort items by the bytes of their texts, and overwrite their keys. `scratch` has room for as many
 * items. Compares eight bytes of all texts at a time, so common prefixes, which paths have, are
 * compared only once.
 */
void sort_texts(struct sort_item *items, struct sort_item *scratch, size_t count,
		sort_text_fn *text_of, const void *context);

#endif
