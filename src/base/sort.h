/*
 * Sorting by an order that needs more than the two items to be told.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SORT_H
#define SIMHASH_BASE_SORT_H

#include <stddef.h>

/* Below 0, 0 or above: a comes before b, equals it, or comes after. */
typedef int sort_compare_fn(const void *a, const void *b, void *context);

/* qsort(3) with a context for the comparison. Any thread. */
void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare,
	       void *context);

#endif
