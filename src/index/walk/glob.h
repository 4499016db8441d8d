/*
 * Matches patterns of gitignore(5): one on each line, and the last match decides.
 *
 *     *.o          a file or directory of that name, at any depth
 *     build/       a directory
 *     /top, a/b    relative to the top
 *     a/ ** /b     (without the blanks) any number of directories between
 *     !keep.o      not excluded, regardless of earlier patterns
 *
 * fnmatch(3) matches a segment between slashes, so `*`, `?` and `[...]` never match a slash.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_GLOB_H
#define SIMHASH_INDEX_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "simhash.h"

struct glob;

struct glob_list {
	struct glob *globs;
	size_t count, capacity;
};

enum glob_verdict { GLOB_SILENT, GLOB_EXCLUDES, GLOB_INCLUDES };

void glob_list_release(struct glob_list *list);

/* Append a line of a pattern file; blank lines and comments add nothing. */
int glob_list_add(struct glob_list *list, const char *line, size_t size,
		  struct simhash_error *error);

/* Append the lines of a text. */
int glob_list_add_lines(struct glob_list *list, const char *text, size_t size,
			struct simhash_error *error);

/*
 * Match a path relative to the list's top, without a slash at either end. Any number of threads may
 * call this.
 */
enum glob_verdict glob_list_match(const struct glob_list *list, const char *path,
				  bool is_directory);

#endif
