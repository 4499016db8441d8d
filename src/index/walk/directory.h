/*
 * A directory that is being indexed: its path, and an open descriptor for access to its entries.
 * Its memory lives as long as anyone has a reference; its descriptor stays open as long as anyone
 * uses it. Both are counted across threads, since scanners open files in a directory long after the
 * walk has left it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_DIRECTORY_H
#define SIMHASH_INDEX_DIRECTORY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "store/row/file_row.h"

struct ignores;
struct level;

struct directory {
	atomic_uint references, uses;
	int fd;
	unsigned root; /* its index among the roots */
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct ignores *ignores; /* the ignore files that hold in it; owned */
	bool is_recorded;	 /* its row is written or about to be; only the writer uses this */
	struct level *level;	 /* set by the walk; owned, or NULL */
	size_t top_size;	 /* bytes of the path before the part relative to the top */
	size_t path_size;
	char path[]; /* absolute, terminated by a zero */
};

/* How many directories are open now, in the whole process. */
unsigned directory_open_count(void);

/* How many may be open before the walk waits for the scanners to close some. */
unsigned directory_open_max(void);

/*
 * A directory with one reference and one use. It takes `fd` over, unless memory is short (NULL).
 * One below another has its root and, until it has read its own, its ignore files.
 */
struct directory *directory_new_top(int fd, unsigned root, const char *path);
struct directory *directory_new_below(int fd, const struct directory *parent, const char *name);

/*
 * What the members of an archive are rows of, see is_inside_directory: FILE and a slash. It is not
 * open. The memory is as above.
 */
struct directory *directory_new_inside(const struct directory *parent, struct bytes name);

/* Take one more reference and one more use. */
void directory_hold(struct directory *directory);
void directory_end_use(struct directory *directory);
void directory_drop(struct directory *directory); /* the reference; NULL is fine */

/* End the use and drop the reference. */
void directory_release(struct directory *directory);

/* The path relative to the top of the walk: "" for the top. */
const char *directory_relative_path(const struct directory *directory);

static inline struct bytes directory_path(const struct directory *directory)
{
	return (struct bytes){directory->path, directory->path_size};
}

#endif
