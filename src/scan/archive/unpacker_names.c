/*
 * Makes the names of members from the names of the archives around them and their own names.
 * SPDX-License-Identifier: MIT
 */
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "scan/archive/unpacker_state.h"

struct bytes unpacker_outer_name(struct unpacker *unpacker)
{
	size_t prefix_size = unpacker_top(unpacker)->prefix_size;

	return prefix_size == 0 ? unpacker->request.file_name
				: (struct bytes){unpacker->name, prefix_size - 2};
}

/* The name of what a compressed file holds, which has none of its own. */
static size_t name_raw(struct unpacker *unpacker, char *name)
{
	struct bytes outer = unpacker_outer_name(unpacker);

	for (size_t i = outer.size; i > 0; i--)
		if (outer.data[i - 1] == '/') {
			outer = (struct bytes){outer.data + i, outer.size - i};
			break;
		}
	return outer.size > CONTAINER_NAME_MAX - 4
		       ? SIZE_MAX
		       : container_plain_name(outer.data, outer.size, name);
}

bool unpacker_name_member(struct unpacker *unpacker, struct archive_entry *entry, bool is_raw)
{
	struct container_level *level = unpacker_top(unpacker);
	size_t prefix_size = level->prefix_size, size;
	const char *path = archive_entry_pathname(entry);
	char *name = unpacker->name + prefix_size, number[24];

	if (is_raw) {
		size = name_raw(unpacker, name);
	} else {
		/* libarchive gives no bytes of a name that is not text: a number sets these apart. */
		if (path == NULL || path[0] == '\0') {
			snprintf(number, sizeof number, "?%u", ++level->unnamed);
			path = number;
		}
		size = strnlen(path, CONTAINER_NAME_MAX + 1);
		if (prefix_size + size <= CONTAINER_NAME_MAX)
			memcpy(name, path, size);
	}
	if (size > CONTAINER_NAME_MAX || prefix_size + size > CONTAINER_NAME_MAX)
		return false;
	unpacker->name_size = prefix_size + size;
	return true;
}
