/*
 * Finds the blocks of files on their disk, and counts each block once, also if several files share
 * it (reflinks).
 *
 *     if (can_share_blocks(path) && extents_read(fd, &extents) == 0)
 *             status = block_counts_keep(&counts, &extents, &error);         // the file that stays
 *     ...
 *             status = block_counts_remove(&counts, &extents, &freed, &error); // for each copy
 *     extents_release(&extents);
 *     block_counts_release(&counts);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_EXTENTS_H
#define SIMHASH_BASE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/slots.h"

/* A part of a file that is in one piece on the disk. */
struct extent {
	uint64_t at;	    /* its first byte in the file */
	uint64_t place;	    /* its first byte on the disk; only shared extents need it */
	uint64_t size;	    /* in bytes of the file */
	bool is_shared;	    /* another file has the same blocks */
	bool is_compressed; /* it has fewer bytes on the disk */
};

/* All zero to begin with. One struct can be used for many files. */
struct extents {
	uint64_t file_system; /* a number that identifies the file system while it is mounted */
	struct extent *list;
	size_t count, capacity;
	uint64_t shared_bytes; /* in extents that other files share */
};

/*
 * Can files of this file system share blocks? A file system of another type is not asked for
 * extents. Opens no file. False if the system does not say.
 */
bool can_share_blocks(const char *path);

/*
 * Read the extents of an open file. Returns -1 if the file system does not show them or memory is
 * short.
 */
int extents_read(int fd, struct extents *extents);
void extents_release(struct extents *extents);

/* Have two files with the same content the same blocks? False for files without blocks. */
bool extents_are_same(const struct extents *x, const struct extents *y);

/* A shared extent that was counted. */
struct counted_extent {
	uint64_t file_system, place, size;
	enum { EXTENT_STAYS, EXTENT_REMOVED_ONCE, EXTENT_FREED } state;
};

/* The shared extents of the files of one content. All zero to begin with. */
struct block_counts {
	struct counted_extent *list;
	size_t count, capacity;
	struct slots slots; /* indexes `list` */
};

/* Forget all files, for the next content. */
void block_counts_clear(struct block_counts *counts);
void block_counts_release(struct block_counts *counts);

/* Count the extents of a file that stays. Errors: SIMHASH_E_MEMORY. */
int block_counts_keep(struct block_counts *counts, const struct extents *extents,
		      struct simhash_error *error);

/*
 * Count the extents of a file that would be removed. *freed is the number of bytes in shared
 * extents that the removal of this file, after all files before it, frees. An extent that only one
 * known file has is shared with an unknown file, such as a snapshot, so it is not freed.
 */
int block_counts_remove(struct block_counts *counts, const struct extents *extents, uint64_t *freed,
			struct simhash_error *error);

#endif
