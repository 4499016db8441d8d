/*
 * Stores the files and rows that a walker puts aside until all roots are walked, because files may
 * have been moved: files that the index does not know at their paths, and rows whose files no
 * longer exist. moved.h matches them.
 *
 * Files wait only if they could have been scanned before under another name, that is, if they are
 * not younger than the last run. Memory is limited: above the limit, files are scanned and rows
 * removed at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_PUT_ASIDE_H
#define SIMHASH_INDEX_PUT_ASIDE_H

#include <stdatomic.h>

#include "index/walk/chunk.h"
#include "store/rows/known_file.h"

/* Shared by all walkers of a run. */
struct aside_bounds {
	int64_t last_scan_ns; /* the time of the last scan in the index */
	atomic_size_t waiting_bytes, lost_bytes;
};

/* A name in a directory: their places in the lists. */
struct aside_name {
	uint32_t directory, name;
};

/* A file that waits. */
struct waiting_file {
	uint64_t key; /* see file_key */
	struct aside_name at;
	bool moves_only; /* the file is not scanned if it gets no row */
	bool is_moved;	 /* a mark for moved.c */
};

/* A row whose file was removed, was replaced by a waiting file, or has new names. */
struct lost_row {
	uint64_t key;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct aside_name at;
	bool is_replaced; /* the file was replaced by a waiting file */
	bool is_linked;	  /* the file still exists, and some of its new names may be waiting */
	bool is_gone, is_moved; /* marks for moved.c */
};

/* A directory, which may be closed. */
struct aside_directory {
	struct directory *directory; /* a reference */
	uint64_t device, inode;
};

/* The lists of one walker; all zero at the beginning, except for the bounds. */
struct put_aside {
	struct aside_bounds *bounds; /* borrowed */
	struct waiting_file *waiting;
	struct lost_row *lost;
	struct aside_directory *directories;
	char *names; /* contiguous, each terminated by a zero */
	size_t waiting_count, lost_count, directory_count, names_size;
	size_t waiting_capacity, lost_capacity, directory_capacity, names_capacity;
};

void put_aside_release(struct put_aside *aside);

/* Hash the values that a moved file shares with its row. */
uint64_t file_key(uint64_t inode, int64_t size_bytes, int64_t mtime_ns, bool is_inflated);

/* Let a file wait. Returns 1, 0 if it must be scanned now, or -1. */
int put_aside_file(struct put_aside *aside, struct directory *directory,
		   const struct found_file *file, struct simhash_error *error);

/*
 * Store a row that has lost its file. `name` is the name in the row. Returns 1, 0 if there is no
 * room, or -1.
 */
int put_aside_row(struct put_aside *aside, struct directory *directory,
		  const struct known_file *known, struct bytes name, bool is_replaced,
		  struct simhash_error *error);

/* Store the row of an existing file, for its new names. Returns 1, 0 if there is no room, or -1. */
int put_aside_linked(struct put_aside *aside, const struct found_file *file,
		     struct simhash_error *error);

static inline const char *aside_name(const struct put_aside *aside, struct aside_name at)
{
	return aside->names + at.name;
}

#endif
