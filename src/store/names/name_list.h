/*
 * Stores lists of ids and names, for the hosts, measures and tag sets of an index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_NAME_LIST_H
#define SIMHASH_STORE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"

struct name {
	int64_t id;
	struct bytes text; /* terminated by a zero; in a damaged index it may also contain zeros */
};

/* Sorted by id. A list of zeros is empty. */
struct name_list {
	struct name *names;
	size_t count, capacity;
	struct arena texts;
};

void name_list_release(struct name_list *list);

/* Return the name of an id, or NULL; return the id of a name, or 0. */
const struct name *name_list_find(const struct name_list *list, int64_t id);
int64_t name_list_id(const struct name_list *list, const char *text);

#endif
