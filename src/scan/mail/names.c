/*
 * Remembers hashes of names.
 * SPDX-License-Identifier: MIT
 */
#include "scan/mail/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/data/array.h"

static bool is_taken(const struct part_names *names, uint64_t hash)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->hashes[i] == hash)
			return true;
	return false;
}

/* Put "-NUMBER" before the extension of the name, in place. Returns the new size. */
static size_t number_name(char *name, size_t size, const char *number, size_t number_size)
{
	const char *dot = last_byte(name, '.', size);
	size_t at = dot == NULL || dot == name ? size : (size_t)(dot - name);

	memmove(name + at + number_size, name + at, size - at);
	memcpy(name + at, number, number_size);
	return size + number_size;
}

int part_names_choose(struct part_names *names, const struct mail_part *part, struct bytes *name)
{
	struct simhash_error error;
	char number[24];
	size_t size = part->name_size, room = size + sizeof number + sizeof part->extension;
	uint64_t hash;

	if (array_reserve(&names->hashes, &names->capacity, names->count + 1, sizeof *names->hashes,
			  &error) != 0 ||
	    array_reserve(&names->name, &names->name_capacity, room, 1, &error) != 0)
		goto short_of_memory;
	if (size > 0)
		memcpy(names->name, part->name, size);
	else
		size = (size_t)snprintf(names->name, room, "%zu.%s", names->count + 1,
					part->extension);
	snprintf(number, sizeof number, "-%zu", names->count + 1);
	while (is_taken(names, hash = XXH3_64bits(names->name, size))) {
		if (array_reserve(&names->name, &names->name_capacity, size + sizeof number, 1,
				  &error) != 0)
			goto short_of_memory;
		size = number_name(names->name, size, number, strlen(number));
	}
	names->hashes[names->count++] = hash;
	*name = (struct bytes){names->name, size};
	return 1;
short_of_memory:
	errno = ENOMEM;
	return -1;
}

void part_names_release(struct part_names *names)
{
	free(names->hashes);
	free(names->name);
}
