/*
 * Reads extents by FS_IOC_FIEMAP on Linux. Other systems do not show them.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/extents.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/seed.h"
#include "base/data/array.h"

#ifdef __linux__
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#endif

#ifdef FS_IOC_FIEMAP
#define EXTENTS_AT_ONCE 64
#define HAS_NO_PLACE                                                                  \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE | \
	 FIEMAP_EXTENT_UNWRITTEN)

static bool is_sharing_type(uint32_t type)
{
	/* btrfs, xfs, bcachefs, ocfs2 */
	static const uint32_t types[] = {BTRFS_SUPER_MAGIC, 0x58465342, 0xca451a4e, 0x7461636f};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (type == types[i])
			return true;
	return false;
}

bool can_share_blocks(const char *path)
{
	struct statfs status;

	return statfs(path, &status) == 0 && is_sharing_type((uint32_t)status.f_type);
}

/* Each subvolume of Btrfs has another device number, but all of them share blocks. */
static int identify_file_system(int fd, uint64_t *number)
{
	struct btrfs_ioctl_fs_info_args info = {.num_devices = 0};
	uint64_t halves[2];
	struct stat status;

	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) == 0) {
		_Static_assert(sizeof halves == sizeof info.fsid, "a UUID has two halves");
		memcpy(halves, info.fsid, sizeof halves);
		*number = halves[0] ^ halves[1];
		return 0;
	}
	if (fstat(fd, &status) != 0)
		return -1;
	*number = (uint64_t)status.st_dev;
	return 0;
}

/* Does `next` continue the extent before it, in the file and on the disk? */
static bool continues(const struct extent *last, const struct extent *next)
{
	return last->at + last->size == next->at && last->place + last->size == next->place &&
	       last->is_shared == next->is_shared && !last->is_compressed && !next->is_compressed;
}

/* File systems divide the same blocks in different ways, so extents that touch become one. */
static int add_extent(struct extents *extents, const struct fiemap_extent *found)
{
	struct extent extent = {
		.at = found->fe_logical,
		.place = found->fe_physical,
		.size = found->fe_length,
		.is_shared = (found->fe_flags & FIEMAP_EXTENT_SHARED) != 0 &&
			     (found->fe_flags & HAS_NO_PLACE) == 0,
		.is_compressed = (found->fe_flags & FIEMAP_EXTENT_ENCODED) != 0,
	};
	struct extent *last = extents->count == 0 ? NULL : &extents->list[extents->count - 1];
	struct simhash_error ignored;

	extents->shared_bytes += extent.is_shared ? extent.size : 0;
	if (last != NULL && continues(last, &extent)) {
		last->size += extent.size;
		return 0;
	}
	if (array_reserve(&extents->list, &extents->capacity, extents->count + 1,
			  sizeof *extents->list, &ignored) != 0)
		return -1;
	extents->list[extents->count++] = extent;
	return 0;
}

int extents_read(int fd, struct extents *extents)
{
	union {
		struct fiemap map;
		char space[sizeof(struct fiemap) + EXTENTS_AT_ONCE * sizeof(struct fiemap_extent)];
	} ask;
	const struct fiemap_extent *found = NULL;
	uint64_t at = 0, next;

	extents->count = 0;
	extents->shared_bytes = 0;
	if (identify_file_system(fd, &extents->file_system) != 0)
		return -1;
	for (;;) {
		ask.map = (struct fiemap){.fm_start = at,
					  .fm_length = UINT64_MAX - at,
					  .fm_extent_count = EXTENTS_AT_ONCE};
		if (ioctl(fd, FS_IOC_FIEMAP, &ask.map) != 0)
			return -1;
		for (unsigned i = 0; i < ask.map.fm_mapped_extents; i++) {
			found = &ask.map.fm_extents[i];
			if (add_extent(extents, found) != 0)
				return -1;
		}
		if (ask.map.fm_mapped_extents == 0 || (found->fe_flags & FIEMAP_EXTENT_LAST) != 0)
			return 0;
		next = found->fe_logical + found->fe_length;
		if (next <= at) /* a damaged file system */
			return -1;
		at = next;
	}
}
#else
bool can_share_blocks(const char *path)
{
	(void)path;
	return false;
}

int extents_read(int fd, struct extents *extents)
{
	(void)fd, (void)extents;
	return -1;
}
#endif

void extents_release(struct extents *extents)
{
	free(extents->list);
	*extents = (struct extents){.list = NULL};
}

bool extents_are_same(const struct extents *x, const struct extents *y)
{
	if (x->file_system != y->file_system || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++) {
		const struct extent *a = &x->list[i], *b = &y->list[i];
		if (!a->is_shared || !b->is_shared || a->at != b->at || a->place != b->place ||
		    a->size != b->size)
			return false;
	}
	return x->count > 0;
}

/* ---- Counting ---- */

/* The extent that is searched for. */
struct extent_key {
	const struct block_counts *counts;
	struct counted_extent extent;
};

static bool is_extent(const void *key, uint32_t number)
{
	const struct extent_key *wanted = key;
	const struct counted_extent *extent = &wanted->counts->list[number - 1];

	return extent->place == wanted->extent.place && extent->size == wanted->extent.size &&
	       extent->file_system == wanted->extent.file_system;
}

void block_counts_clear(struct block_counts *counts)
{
	slots_clear(&counts->slots, SLOTS_FIRST);
	counts->count = 0;
}

void block_counts_release(struct block_counts *counts)
{
	free(counts->list);
	slots_release(&counts->slots);
	*counts = (struct block_counts){.list = NULL};
}

/* Find an extent, or add it. *is_new: it was not there. */
static struct counted_extent *find_extent(struct block_counts *counts,
					  const struct extents *extents,
					  const struct extent *extent, bool *is_new,
					  struct simhash_error *error)
{
	const struct extent_key key = {
		counts, {extents->file_system, extent->place, extent->size, EXTENT_STAYS}};
	uint64_t hash = hash_seeded(extent->place ^ extents->file_system, extent->size);
	struct slot *slot;

	if (slots_reserve(&counts->slots, error) != 0 ||
	    array_reserve(&counts->list, &counts->capacity, counts->count + 1, sizeof *counts->list,
			  error) != 0)
		return NULL;
	slot = slots_find(&counts->slots, hash, is_extent, &key);
	*is_new = slot->number == NO_ITEM;
	if (*is_new) {
		counts->list[counts->count++] = key.extent;
		slots_add(&counts->slots, slot, hash, (uint32_t)counts->count);
	}
	return &counts->list[slot->number - 1];
}

int block_counts_keep(struct block_counts *counts, const struct extents *extents,
		      struct simhash_error *error)
{
	for (size_t i = 0; i < extents->count; i++) {
		struct counted_extent *counted;
		bool is_new;
		if (!extents->list[i].is_shared)
			continue;
		counted = find_extent(counts, extents, &extents->list[i], &is_new, error);
		if (counted == NULL)
			return -1;
		counted->state = EXTENT_STAYS;
	}
	return 0;
}

int block_counts_remove(struct block_counts *counts, const struct extents *extents, uint64_t *freed,
			struct simhash_error *error)
{
	*freed = 0;
	for (size_t i = 0; i < extents->count; i++) {
		struct counted_extent *counted;
		bool is_new;
		if (!extents->list[i].is_shared)
			continue;
		counted = find_extent(counts, extents, &extents->list[i], &is_new, error);
		if (counted == NULL)
			return -1;
		if (is_new) {
			counted->state = EXTENT_REMOVED_ONCE;
		} else if (counted->state == EXTENT_REMOVED_ONCE) {
			counted->state = EXTENT_FREED;
			*freed += counted->size;
		}
	}
	return 0;
}
