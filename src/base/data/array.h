/*
 * Enlarges arrays. An array is a pointer to its items and a capacity, the number of items that fit.
 * The owner stores both:
 *
 *     if (array_reserve(&list->files, &list->capacity, list->count + 1, sizeof *list->files,
 *                       error) != 0)
 *             return -1;
 *     list->files[list->count++] = file;
 *
 * The capacity doubles, so appending n items costs O(n). free(3) frees the items.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ARRAY_H
#define SIMHASH_BASE_ARRAY_H

#include <stddef.h>

#include "simhash.h"

/*
 * Make room for `needed` items of `item_size` bytes. `items` is the address of the pointer to the
 * items, of any pointer type. NULL is an empty array of capacity 0. Items may move. On -1, with the
 * error SIMHASH_E_MEMORY, the array does not change.
 */
int array_reserve(void *items, size_t *capacity, size_t needed, size_t item_size,
		  struct simhash_error *error);

#endif
