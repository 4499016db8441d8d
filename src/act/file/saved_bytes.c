/*
 * Counts saved bytes: the bytes of a file with several names are saved only when its last name is
 * removed.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/saved_bytes.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

/* The inode that is searched for. */
struct inode_key {
	const struct gone_names *gone;
	uint64_t device, inode;
};

static bool is_inode(const void *key, uint32_t number)
{
	const struct inode_key *wanted = key;
	const struct gone_names *gone = &wanted->gone[number - 1];

	return gone->device == wanted->device && gone->inode == wanted->inode;
}

/* Record one more removed name of a file. Sets the number of its removed names. */
static int count_gone(struct saved_bytes *counter, const struct stat *copy, uint64_t *names,
		      struct simhash_error *error)
{
	uint64_t device = (uint64_t)copy->st_dev, inode = (uint64_t)copy->st_ino;
	uint64_t hash = hash_seeded(device, inode);
	struct slot *slot;

	if (slots_reserve(&counter->slots, error) != 0 ||
	    array_reserve(&counter->gone, &counter->capacity, counter->count + 1,
			  sizeof *counter->gone, error) != 0)
		return -1;
	slot = slots_find(&counter->slots, hash, is_inode,
			  &(struct inode_key){counter->gone, device, inode});
	if (slot->number == NO_ITEM) {
		counter->gone[counter->count++] = (struct gone_names){device, inode, 0};
		slots_add(&counter->slots, slot, hash, (uint32_t)counter->count);
	}
	*names = ++counter->gone[slot->number - 1].names;
	return 0;
}

int saved_bytes_count(struct saved_bytes *counter, enum keep_action action, bool is_real,
		      const struct stat *copy, bool *is_freed, struct simhash_error *error)
{
	uint64_t names = 0;

	*is_freed = false;
	if (action == ACTION_MOVE)
		return 0;
	if (copy->st_nlink > 1) {
		bool shares = action == ACTION_REFLINK;
		/* In a real run, the number of links has decreased. */
		if ((shares || !is_real) && count_gone(counter, copy, &names, error) != 0)
			return -1;
		/* The first name already shares the blocks of all names. */
		if (shares ? names > 1 : names < (uint64_t)copy->st_nlink)
			return 0;
	}
	*is_freed = true;
	return 0;
}

void saved_bytes_release(struct saved_bytes *counter)
{
	free(counter->gone);
	slots_release(&counter->slots);
	*counter = (struct saved_bytes){.count = 0};
}
