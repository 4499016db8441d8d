/*
 * Walking trees: from the paths that a user names to the regular files below.
 *
 * A directory is opened relative to its parent's descriptor and never through
 * a symbolic link (unless links are followed), so renames and swapped links
 * during the walk cannot lead outside. Files are handed to the visitor a chunk
 * at a time; a directory that fits one chunk comes whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_WALK_H
#define SIMHASH_INDEX_WALK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "index/filter.h"
#include "simhash.h"
#include "store/file_row.h"

/* Files a visitor is given at once. */
#define WALK_CHUNK 8192

/*
 * A directory being indexed. Its memory lives as long as anyone has a
 * reference; its descriptor stays open as long as anyone has it in use.
 * Both are counted across threads.
 */
struct directory {
	atomic_uint references, uses;
	int fd;
	unsigned root;	  /* which of the walk's roots it belongs to */
	unsigned pending; /* directories yet to be visited for which it stays open; the walk's */
	uint8_t hash[DIRECTORY_HASH_SIZE];
	bool is_recorded; /* the writer's: its row is written, or about to be */
	struct ignores *ignores;
	size_t top_size; /* bytes of the path before what is relative to the top of the walk */
	size_t path_size;
	char path[]; /* absolute, terminated by a zero besides */
};

/* Directories whose descriptors are open now, in the whole process. */
unsigned directory_open_count(void);

/* Take one more reference and one more use. */
void directory_hold(struct directory *directory);
void directory_end_use(struct directory *directory); /* the descriptor */
void directory_drop(struct directory *directory);    /* the memory; NULL is fine */

/* A regular file as the walk saw it, or the content of a gzip file: see inflated_name. */
struct found_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	const char *name; /* of its row; terminated by a zero */
	size_t name_size;
	int64_t size_bytes, mtime_ns;
	uint64_t device, inode, links;
	bool is_inflated;
};

enum walk_part {
	WALK_WHOLE,	/* all the files of the directory */
	WALK_PART,	/* some; more follow */
	WALK_LAST_PART, /* the last of several */
	WALK_INCOMPLETE /* what could be read of a directory that failed */
};

struct walk_visitor {
	/* The files are sorted by path hash and live for this call. -1 ends the walk. */
	int (*files)(void *context, struct directory *directory, const struct found_file *files,
		     size_t count, enum walk_part part, struct simhash_error *error);
	/* Something under `root` could not be read. */
	void (*failed)(void *context, unsigned root, struct bytes path, int system_errno);
	/* Called before a directory is opened; may wait for descriptors to be closed. */
	void (*before_open)(void *context);
	/* Called when this visitor may get nothing for a while. May be NULL. */
	void (*idle)(void *context);
	void *context;
};

struct walk_options {
	bool follow;	      /* symbolic links; each directory is then visited once */
	bool one_file_system; /* directories of others are not entered */
	bool inflate;	      /* gzip files come twice: as they are, and inflated */
	const struct filter *filter;
	/*
	 * Directories that may stay open for what is yet to be visited in them. In a tree of
	 * more floors than that, the others are opened once more by their paths.
	 */
	unsigned open_max;
	const atomic_bool *stop; /* set from outside to end early */
};

/* A path that the user named, made absolute and free of links. */
struct walk_root {
	char *path;
	bool is_directory;
	bool is_list;	 /* no path, but the name of a list of files */
	bool is_skipped; /* cannot be read, or lies below another root */
};

/*
 * Resolve the paths named. One that cannot be resolved, or is neither a
 * directory nor a regular file, is reported as failed and skipped; one below
 * another is skipped. The caller frees each path.
 */
void walk_resolve(char *const *paths, unsigned count, const struct walk_visitor *visitor,
		  struct walk_root *roots);

/*
 * Walk one root by as many threads as there are visitors, each of which belongs
 * to one of them; by one alone when links are followed. -1 when a visitor or
 * memory failed; what cannot be read is reported and does not fail the walk.
 */
int walk_tree(const struct walk_root *root, unsigned number, const struct walk_options *options,
	      const struct walk_visitor *visitors, unsigned visitor_count,
	      struct simhash_error *error);

/*
 * Go through a list of files, whose names are each ended by a zero byte, by one visitor.
 * Directories in it are counted and passed over, and so is what the filter leaves out
 * by its name as it stands in the list. `fd` stays the caller's.
 */
int walk_list(int fd, const char *list_name, unsigned number, const struct walk_options *options,
	      const struct walk_visitor *visitor, uint64_t *directories,
	      struct simhash_error *error);

#endif
