/*
 * Represents a directory that is being indexed: its path, and an open descriptor for access to its
 * entries. Its memory lives as long as anyone has a reference; its descriptor stays open as long as
 * anyone uses it. Both are counted across threads, because scanners open files in a directory long
 * after the walk has left it.
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
	struct ignores *ignores; /* the ignore files that apply in it; owned */
	bool is_recorded;    /* its row was written or will be written; only the writer uses this */
	struct level *level; /* set by the walk; owned, or NULL */
	size_t top_size; /* the size of the part of `path` before the path relative to the top */
	size_t path_size;
	char path[]; /* absolute, terminated by a zero */
};

/* Return the number of open directories in the process. */
unsigned directory_open_count(void);

/*
 * Return the number of directories that may be open before the walk waits until the scanners close
 * some.
 */
unsigned directory_open_max(void);

/*
 * Make a directory with one reference and one use. It takes ownership of `fd`, unless memory is
 * short (NULL). A directory below another has the same root as its parent. Until its own ignore
 * files were read, it uses the ignore files of its parent.
 */
struct directory *directory_new_top(int fd, unsigned root, const char *path);
struct directory *directory_new_below(int fd, const struct directory *parent, const char *name);

/*
 * Make the directory of the rows of an archive's members: FILE and a slash, see
 * is_inside_directory. It is not open. NULL if memory is short.
 */
struct directory *directory_new_inside(const struct directory *parent, struct bytes name);

/* Add a reference and a use. */
void directory_hold(struct directory *directory);
void directory_end_use(struct directory *directory);
void directory_drop(struct directory *directory); /* drops the reference; NULL is allowed */

/* End the use and drop the reference. */
void directory_release(struct directory *directory);

/* Return the path relative to the top of the walk: "" for the top. */
const char *directory_relative_path(const struct directory *directory);

static inline struct bytes directory_path(const struct directory *directory)
{
	return (struct bytes){directory->path, directory->path_size};
}

#endif
