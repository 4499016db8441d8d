/*
 * Sorting by a comparison with a context, and sorting numbers.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SORT_H
#define SIMHASH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Below 0, 0 or above: a comes before b, equals it, or comes after. */
typedef int sort_compare_fn(const void *a, const void *b, void *context);

/* qsort(3) with a context for the comparison. Any thread. */
void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare,
	       void *context);

/* The index of an item, and the key by which it is sorted. */
struct sort_item {
	uint64_t key;
	uint64_t number;
};

/* Sort numbers; `scratch` has room for as many. */
void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count);

/* Sort by the lowest `bits` of the keys, stably; `scratch` has room for as many. */
void sort_items(struct sort_item *items, struct sort_item *scratch, size_t count, unsigned bits);

#endif
