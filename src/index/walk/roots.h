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
	char *path;	/* for a list, its name */
	bool is_directory;
	bool is_list;
	bool is_skipped; /* cannot be read, or is below another root */
	bool has_failed; /* cannot be resolved, or is no file that can be read */
	bool is_gone;	 /* does not exist */
};

struct roots {
	struct root *items;
	unsigned count;
};

/*
 * Resolve the paths; `list_name` is NULL if there is no list. A path that cannot be resolved, or is
 * neither a directory nor a regular file (EINVAL), is reported and skipped. A path below another is
 * skipped if the walk of the other reaches it.
 */
int roots_init(struct roots *roots, char *const *paths, unsigned path_count, const char *list_name,
	       bool one_file_system, struct failures *failures, struct simhash_error *error);

/* Can none of the paths be read? Those that have not been reported are. A list can always be read. */
bool roots_have_all_failed(struct roots *roots, struct failures *failures);

void roots_release(struct roots *roots);

#endif
