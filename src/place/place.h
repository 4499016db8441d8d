/*
 * Represents a file by a name in an open directory, so that acts happen in this directory even if
 * directories above it are renamed. It refuses places in protected directories.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_PLACE_H
#define SIMHASH_ACT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/basic/bytes.h"
#include "simhash.h"

struct mounts;

/* Directories that must not be changed, identified by their inodes and not by their names. */
struct guard {
	struct guarded {
		dev_t device;
		ino_t inode;
	} * directories;
	size_t count;
	struct mounts *mounts; /* NULL: only the inodes on the way are checked */
};

/* For directories that exist. The caller releases it on 0. */
int guard_init(struct guard *guard, const struct bytes *directories, size_t count,
	       struct simhash_error *error);
void guard_release(struct guard *guard);

/* Is it one of the directories? */
bool guard_has(const struct guard *guard, const struct stat *status);

struct place {
	int directory_fd; /* only for access to its files; -1: not open */
	const char *name; /* a part of the path, which must stay valid */
};

/*
 * Open the directory of an absolute path, one name after another. Refuses links, "." and ".." in
 * the path, and everything that `guard` protects: protected directories on the way, and places
 * inside them through other mounts, including the name itself. `guard` may be NULL. -1 with the
 * reason in `why`.
 */
int place_open(const char *path, const struct guard *guard, struct place *place,
	       struct simhash_error *why);

/*
 * The same, but if a directory is missing, open the last one that exists. The name of the place is
 * then the rest of the path, which has a slash.
 */
int place_reach(const char *path, const struct guard *guard, struct place *place,
		struct simhash_error *why);
void place_close(struct place *place);

/*
 * The current status of the name; links are not followed. Asks the file system again if it caches
 * attributes, as network file systems and FUSE do. -1 with errno.
 */
int place_status(const struct place *place, const char *name, struct stat *status);

/* The same for an open file. */
int fd_status(int fd, struct stat *status);

/*
 * Does the directory contain the name of the place? Asks the file system again if it caches names.
 */
bool place_has_name(const struct place *place);

/* Are these the same inode, with the same size and modification time? */
bool is_same_content(const struct stat *x, const struct stat *y);

static inline bool is_same_inode(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

#endif
