/*
 * Represents a file by a name in an open directory, so that acts happen in this directory even if
 * directories above are renamed. It refuses places in protected directories.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_PLACE_H
#define SIMHASH_ACT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/basic/bytes.h"
#include "simhash.h"

struct mounts;

/* Directories below which nothing is changed, by what they are and not by what they are called. */
struct guard {
	struct guarded {
		dev_t device;
		ino_t inode;
	} * directories;
	size_t count;
	struct mounts *mounts; /* NULL: the inodes on the way have to do */
};

/* Of directories that exist. The caller releases it on 0. */
int guard_init(struct guard *guard, const struct bytes *directories, size_t count,
	       struct simhash_error *error);
void guard_release(struct guard *guard);

struct place {
	int directory_fd; /* only to reach what is in it; -1: not open */
	const char *name; /* in the path, which is borrowed */
};

/* What place_open does on its way. */
enum place_flags {
	PLACE_MAKES = 1, /* makes the directories that are missing, for their owner alone */
};

/*
 * Open the directory of an absolute path one name after the other. A link, "." or ".." among them is
 * refused. So is what `guard`, which may be NULL, protects: a directory of it on the way, and what lies
 * below one by other mounts, be it the name itself. -1 with the reason in `why`.
 */
int place_open(const char *path, const struct guard *guard, unsigned flags, struct place *place,
	       struct simhash_error *why);
void place_close(struct place *place);

/*
 * What the name stands for now; not what a link leads to. A file system that remembers attributes for a
 * while, as networks and FUSE do, is asked anew. -1 with errno.
 */
int place_status(const struct place *place, const char *name, struct stat *status);

/* The same of an open file. */
int fd_status(int fd, struct stat *status);

/* Does the directory have the name of the place? A file system that remembers names is asked anew. */
bool place_has_name(const struct place *place);

/* The same inode, of the same size and time of its content? */
bool is_same_content(const struct stat *x, const struct stat *y);

static inline bool is_same_inode(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

#endif
