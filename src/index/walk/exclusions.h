/*
 * Decides which files are indexed: the user's patterns and the ignore files of the tree exclude
 * files. The user's patterns come first, then the .ignore files from the entry's directory upwards,
 * then the .gitignore files: the first match decides. The contents of an excluded directory are not
 * read.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_EXCLUSIONS_H
#define SIMHASH_INDEX_EXCLUSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "index/walk/glob.h"

/* The user's choices. Any number of threads may use them when they are complete. */
struct exclusions {
	struct glob_list rules; /* patterns relative to each indexed path */
	/* If the list is not empty, a file must match one of its patterns, such as "*.txt". */
	struct glob_list extensions;
	bool ignore_files;			/* use .ignore and .gitignore files */
	bool reads_stdin;			/* rules were read from standard input */
	int64_t min_size_bytes, max_size_bytes; /* both bounds are included */
};

void exclusions_init(struct exclusions *exclusions); /* excludes nothing */
void exclusions_release(struct exclusions *exclusions);

/*
 * Add extensions such as "txt,md": only files with one of them, in upper or lower case, are
 * included.
 */
int exclusions_add_extensions(struct exclusions *exclusions, const char *list,
			      struct simhash_error *error);

/*
 * Add the value of --exclude: a pattern, or "@FILE" for the patterns in a file. "@-" is standard
 * input, which can be given only once.
 */
int exclusions_add_rules(struct exclusions *exclusions, const char *text,
			 struct simhash_error *error);

/* The ignore files of one directory, with a reference to the files of the directory above. */
struct ignores;

/* An ignore file that exists and cannot be read, or has 1 MiB or more (EFBIG). */
struct unreadable_ignores {
	const char *name; /* NULL: none */
	int system_errno;
};

/*
 * Read the ignore files of an open directory. `path` is relative to the top of the walk, "" for the
 * top. If there are none, *ignores is another reference to the parent's files.
 */
int ignores_read(int directory_fd, struct ignores *parent, const char *path,
		 struct ignores **ignores, struct unreadable_ignores *unreadable,
		 struct simhash_error *error);

/*
 * Read the ignore files above the top of a walk, up to the top of its git repository, which has
 * .git. NULL if it is not in a repository.
 */
int ignores_read_above(const char *top, struct ignores **ignores, struct simhash_error *error);

struct ignores *ignores_hold(struct ignores *ignores); /* NULL is allowed here and below */
void ignores_drop(struct ignores *ignores);

/*
 * Is this entry excluded by its name? `path` is relative to the top of the walk and ends with
 * `name`.
 */
bool exclusions_leave_out(const struct exclusions *exclusions, const struct ignores *ignores,
			  const char *path, const char *name, bool is_directory);

/* Is a file excluded by its path, or by a directory in it? The path is changed during the call. */
bool exclusions_leave_out_path(const struct exclusions *exclusions, char *path);

/* Is a file of this size excluded? */
bool exclusions_leave_out_size(const struct exclusions *exclusions, int64_t size_bytes);

#endif
