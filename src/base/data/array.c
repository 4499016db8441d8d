/*
 * Enlarges an array by doubling its capacity.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

#define CAPACITY_MIN 16

int array_reserve(void *items, size_t *capacity, size_t needed, size_t item_size,
		  struct simhash_error *error)
{
	size_t room = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
	void *old, *grown;

	if (needed <= *capacity)
		return 0;
	while (room < needed && room <= SIZE_MAX / 2)
		room *= 2;
	if (room < needed || room > SIZE_MAX / item_size)
		return error_set_memory(error);
	/* Copy the pointer's bytes, because it may have any pointer type. */
	memcpy(&old, items, sizeof old);
	grown = realloc(old, room * item_size);
	if (grown == NULL)
		return error_set_memory(error);
	memcpy(items, &grown, sizeof grown);
	*capacity = room;
	return 0;
}
