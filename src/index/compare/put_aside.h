/*
 * The files and rows that a walker puts aside until all roots are walked, because files may have
 * been moved: files that the index does not know at their paths, and rows whose files are no longer
 * there. moved.h matches them.
 *
 * Files wait only if they could have been scanned before under another name, that is, if they are
 * not younger than the last run. Memory is bounded: beyond the bound files are scanned, and rows
 * removed, at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_PUT_ASIDE_H
#define SIMHASH_INDEX_PUT_ASIDE_H

#include <stdatomic.h>

#include "index/walk/chunk.h"
#include "store/rows/known_file.h"

/* For all walkers of a run. */
struct aside_bounds {
	int64_t last_scan_ns; /* no row is of a later scan */
	atomic_size_t waiting_bytes, lost_bytes;
};

/* A name in a directory, by their places in the lists. */
struct aside_name {
	uint32_t directory, name;
};

/* A file that waits. */
struct waiting_file {
	uint64_t key; /* see file_key */
	struct aside_name at;
	bool moves_only; /* not scanned if it has no row */
	bool is_moved;	 /* a mark for moved.c */
};

/* A row whose file is gone, or is another one that waits; or has got more names since. */
struct lost_row {
	uint64_t key;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct aside_name at;
	bool is_replaced;	/* by a file that waits */
	bool is_linked;		/* its file is there, and has new names that may wait */
	bool is_gone, is_moved; /* marks for moved.c */
};

/* Closed meanwhile. */
struct aside_directory {
	struct directory *directory; /* a reference */
	uint64_t device, inode;
};

/* One walker's; zeros but for the bounds. */
struct put_aside {
	struct aside_bounds *bounds; /* borrowed */
	struct waiting_file *waiting;
	struct lost_row *lost;
	struct aside_directory *directories;
	char *names; /* one behind the other, each ended by a zero */
	size_t waiting_count, lost_count, directory_count, names_size;
	size_t waiting_capacity, lost_capacity, directory_capacity, names_capacity;
};

void put_aside_release(struct put_aside *aside);

/* What a moved file has in common with its row, mixed. */
uint64_t file_key(uint64_t inode, int64_t size_bytes, int64_t mtime_ns, bool is_inflated);

/* Let a file wait: 1, 0 if it is to be scanned now, or -1. */
int put_aside_file(struct put_aside *aside, struct directory *directory,
		   const struct found_file *file, struct simhash_error *error);

/* Keep a row that has lost its file: 1, 0 if there is no room, or -1. Its name is that of a row. */
int put_aside_row(struct put_aside *aside, struct directory *directory,
		  const struct known_file *known, struct bytes name, bool is_replaced,
		  struct simhash_error *error);

/* Keep the row of a file that is there, for its new names: 1, 0 if there is no room, or -1. */
int put_aside_linked(struct put_aside *aside, const struct found_file *file,
		     struct simhash_error *error);

static inline const char *aside_name(const struct put_aside *aside, struct aside_name at)
{
	return aside->names + at.name;
}

#endif
