/*
 * Compares the extents of copies with the extents of the file that stays.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/shared_copies.h"

#include <stdlib.h>

#include "base/data/array.h"
#include "base/files/open_file.h"
#include "find/reading/reopen.h"

/* Is this a file of this host on a device whose files can share blocks? Asks once for a device. */
static bool can_share(struct shared_copies *shared, const struct find_file *file,
		      struct simhash_error *error)
{
	struct sharing_device *device;

	if (!file->is_local || file->is_stream || file->inode == 0 ||
	    file->compressed_size_bytes != 0)
		return false;
	for (size_t i = 0; i < shared->device_count; i++)
		if (shared->devices[i].number == file->device)
			return shared->devices[i].shares;
	if (array_reserve(&shared->devices, &shared->device_capacity, shared->device_count + 1,
			  sizeof *shared->devices, error) != 0)
		return false;
	device = &shared->devices[shared->device_count++];
	*device = (struct sharing_device){file->device, can_share_blocks(find_file_path(file))};
	return device->shares;
}

static bool read_extents(const struct find_file *file, struct extents *extents)
{
	struct stat status;
	int why, fd = reopen_file(file, &status, &why);
	bool is_read = fd >= 0 && extents_read(fd, extents) == 0;

	if (fd >= 0)
		close_content(fd);
	return is_read;
}

void shared_copies_begin(struct shared_copies *shared, const struct find_file *first)
{
	shared->first = first;
	shared->is_begun = false;
}

/* The first copy that can share blocks begins the counts. */
static int begin_counts(struct shared_copies *shared, struct simhash_error *error)
{
	if (shared->is_begun)
		return 0;
	shared->is_begun = true;
	block_counts_clear(&shared->counts);
	shared->kept.count = 0;
	if (!can_share(shared, shared->first, error) || !read_extents(shared->first, &shared->kept))
		return 0;
	return block_counts_keep(&shared->counts, &shared->kept, error);
}

int shared_copies_take(struct shared_copies *shared, const struct find_file *copy,
		       struct shared_copy *taken, struct simhash_error *error)
{
	int64_t size = find_file_bytes(copy);
	uint64_t freed;

	*taken = (struct shared_copy){.freed_bytes = size};
	if (!can_share(shared, copy, error) || !read_extents(copy, &shared->copy) ||
	    shared->copy.shared_bytes == 0)
		return 0;
	if (begin_counts(shared, error) != 0 ||
	    block_counts_remove(&shared->counts, &shared->copy, &freed, error) != 0)
		return -1;
	taken->is_shared = extents_are_same(&shared->kept, &shared->copy);
	/* Blocks at the end of a file are longer than the file. */
	if (shared->copy.shared_bytes < (uint64_t)size)
		freed += (uint64_t)size - shared->copy.shared_bytes;
	taken->freed_bytes = freed < (uint64_t)size ? (int64_t)freed : size;
	return 0;
}

void shared_copies_release(struct shared_copies *shared)
{
	free(shared->devices);
	extents_release(&shared->kept);
	extents_release(&shared->copy);
	block_counts_release(&shared->counts);
	*shared = (struct shared_copies){.devices = NULL};
}
