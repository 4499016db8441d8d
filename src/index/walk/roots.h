/*
 * Stores the roots of a run: the given paths, made absolute and free of links, and the list of
 * files, if there is one.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_ROOTS_H
#define SIMHASH_INDEX_ROOTS_H

#include <stdbool.h>

#include "index/walk/failures.h"

struct root {
	unsigned index; /* its index among the roots */
	char *path;	/* the path, or the name of a list */
	bool is_directory;
	bool is_list;
	bool is_skipped; /* the root cannot be read, or is below another root */
	bool has_failed; /* the root cannot be resolved, or is not a file that can be read */
	bool is_gone;	 /* the root does not exist */
};

struct roots {
	struct root *items;
	unsigned count;
};

/*
 * Resolve the paths; `list_name` is NULL if there is no list. A path that cannot be resolved, or is
 * neither a directory nor a regular file (EINVAL), is reported and skipped. If a path is below
 * another path and the walk of that path reaches it, it is skipped.
 */
int roots_init(struct roots *roots, char *const *paths, unsigned path_count, const char *list_name,
	       bool one_file_system, struct failures *failures, struct simhash_error *error);

/*
 * Are all paths unreadable? Reports the unreadable paths that were not reported before. A list
 * counts as readable.
 */
bool roots_have_all_failed(struct roots *roots, struct failures *failures);

void roots_release(struct roots *roots);

#endif
