/*
 * One of the two files of an act: the copy, or the file that is kept.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SIDE_H
#define SIMHASH_ACT_SIDE_H

#include "act/place.h"
#include "keep/keep.h"

/* Held open from before it is compared until the act is over. */
struct side {
	struct place place;
	int fd; /* -1: there is none */
	struct stat status;
};

/* Open a regular file, as it was indexed. -1 with the reason. To be closed whatever this returns. */
int side_open(struct side *side, const struct keep_file *file, const struct guard *guard,
	      struct simhash_error *why);
void side_close(struct side *side);

/* The same file once more, for writing; -1 with errno. */
int side_open_writable(const struct side *side);

/* Is the open file still the one that its name stands for, as it was when it was opened? */
bool side_is_unchanged(const struct side *side);

/*
 * Are they two files? On two file systems their numbers do not tell: one may show the files of the
 * other, as an overlay does. But what is done to a name changes the time of its inode, and is
 * seen wherever that is seen. `before` is the file that is kept, when the name was not yet changed;
 * the name is now `temporary`, or elsewhere if that is NULL.
 */
bool sides_are_apart(const struct side *copy, const struct side *kept, const struct stat *before,
		     const char *temporary);

#endif
