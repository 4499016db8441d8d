/*
 * Detects a directory that contains itself, by a mount or in a file system that shows snapshots; a
 * walk of it would never end. A level is a directory that is being walked, with a link to the level
 * above it.
 *
 *     level = level_new(above->level, &status);      // NULL if memory is short
 *     loop = level_find_loop(level);                 // before it is read
 *     ...
 *     level_add(level, &seen);                       // each entry that is found in it
 *     level_end(level);                              // it was read
 *     level_drop(level);
 *
 * Most such directories show the inode of the directory above. Some file systems give each level a
 * different inode. These levels are recognized because they are equal again and again.
 *
 * One thread reads a directory; others may already be below it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LEVEL_H
#define SIMHASH_INDEX_LEVEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct level;

/*
 * Make a level below another, or of the top (NULL). It has one reference, and holds one on `above`.
 */
struct level *level_new(struct level *above, const struct stat *status);
struct level *level_hold(struct level *level);
void level_drop(struct level *level); /* NULL is allowed */

/* Return the device of the directory. */
uint64_t level_device(const struct level *level);

/* Is the directory on another device than the directory above it? False for the top. */
bool level_changes_device(const struct level *level);

struct level_loop {
	unsigned levels_up; /* the number of levels up to the equal directory; 0: none */
	bool is_certain;    /* the two directories have the same inode */
};

struct level_loop level_find_loop(const struct level *level);

/* An entry of a directory: a file, or a directory without a size and times. */
struct level_entry {
	uint64_t name_hash;
	int64_t size_bytes, mtime_ns, changed_ns;
	bool is_file;
};

void level_add(struct level *level, const struct level_entry *entry);
void level_end(struct level *level);

#endif
