/*
 * Walks a tree with one or several threads: each has a walker and asks it for the next files.
 *
 *     walk = walk_new(root, &options, error);
 *     ...in each thread:
 *     walker = walker_new(walk, error);
 *     while ((status = walk_next(walker, &chunk, error)) > 0)
 *             if (status == WALK_FILES)
 *                     ... the files of one directory, or a part of them
 *     walker_free(walker);
 *     ...
 *     walk_free(walk);
 *
 * Walkers take directories from one stack. A directory is opened relative to its parent's
 * descriptor and never through a symbolic link (unless links are followed), so renames and replaced
 * links during the walk cannot lead outside.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_WALK_H
#define SIMHASH_INDEX_WALK_H

#include "index/walk/entries.h"
#include "index/walk/roots.h"

/*
 * Directories with longer paths are not entered, but reported. Each stored level contains its whole
 * path, so the memory of an endless walk grows with the square of its depth.
 */
#define WALK_PATH_MAX 32768

struct walk;
struct walker;

/*
 * Begin to walk a root that is a path. Root and options are borrowed. A root that cannot be opened
 * is reported, and has no files. NULL if memory is short.
 */
struct walk *walk_new(const struct root *root, const struct walk_options *options,
		      struct simhash_error *error);
void walk_free(struct walk *walk); /* after its walkers; NULL is allowed */

/* Return how many walkers can share the work: one for a file, and one if links are followed. */
unsigned walk_walkers_max(const struct root *root, const struct walk_options *options);

/* Make the walker of one thread. NULL if memory is short. */
struct walker *walker_new(struct walk *walk, struct simhash_error *error);
void walker_free(struct walker *walker); /* NULL is allowed */

enum {
	WALK_END,
	WALK_FILES, /* a chunk */
	WALK_IDLE   /* there is nothing at the moment: the next call may wait for a long time */
};

/*
 * Get the next files; the chunk lives until the next call. Opens at most one directory and keeps it
 * open until the next call. -1 if memory is short or `stop` is set, which ends the walk.
 */
int walk_next(struct walker *walker, struct chunk *chunk, struct simhash_error *error);

/* End the walk early: all walkers find nothing more. Any thread may call this. */
void walk_cancel(struct walk *walk);

#endif
