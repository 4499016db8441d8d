/*
 * Counting what is saved: a file of several names is, when the last of them has gone.
 * SPDX-License-Identifier: MIT
 */
#include "act/saved_bytes.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"

static struct gone_names *find_gone(const struct saved_bytes *counter, uint64_t device,
				    uint64_t inode)
{
	size_t slot = (size_t)hash_seeded(device, inode) & (counter->slots - 1);

	while (counter->gone[slot].names != 0 &&
	       (counter->gone[slot].device != device || counter->gone[slot].inode != inode))
		slot = (slot + 1) & (counter->slots - 1);
	return &counter->gone[slot];
}

static int grow_gone(struct saved_bytes *counter, struct simhash_error *error)
{
	struct gone_names *old = counter->gone;
	size_t old_slots = counter->slots, slots = old_slots == 0 ? 64 : old_slots * 2;
	struct gone_names *grown = calloc(slots, sizeof *grown);

	if (grown == NULL)
		return error_set_memory(error);
	counter->gone = grown;
	counter->slots = slots;
	for (size_t i = 0; i < old_slots; i++)
		if (old[i].names != 0)
			*find_gone(counter, old[i].device, old[i].inode) = old[i];
	free(old);
	return 0;
}

/* One more name of a file would have gone: how many would then. */
static int count_gone(struct saved_bytes *counter, const struct stat *copy, uint64_t *names,
		      struct simhash_error *error)
{
	uint64_t device = (uint64_t)copy->st_dev, inode = (uint64_t)copy->st_ino;
	struct gone_names *gone;

	if (counter->count * 2 >= counter->slots && grow_gone(counter, error) != 0)
		return -1;
	gone = find_gone(counter, device, inode);
	counter->count += gone->names == 0;
	*gone = (struct gone_names){device, inode, gone->names + 1};
	*names = gone->names;
	return 0;
}

int saved_bytes_count(struct saved_bytes *counter, enum keep_action action, bool is_real,
		      const struct stat *copy, uint64_t own_bytes, uint64_t *saved,
		      struct simhash_error *error)
{
	uint64_t names = 0;

	*saved = 0;
	if (action == ACTION_MOVE)
		return 0;
	if (copy->st_nlink > 1) {
		bool shares = action == ACTION_REFLINK;
		/* In a real run the number of links has become smaller by itself. */
		if ((shares || !is_real) && count_gone(counter, copy, &names, error) != 0)
			return -1;
		/* The first name shares the blocks of all. */
		if (shares ? names > 1 : names < (uint64_t)copy->st_nlink)
			return 0;
	}
	*saved = own_bytes;
	return 0;
}

void saved_bytes_release(struct saved_bytes *counter)
{
	free(counter->gone);
	*counter = (struct saved_bytes){.count = 0};
}
