/*
 * Resolving the paths that were named, and leaving out those that others contain.
 * SPDX-License-Identifier: MIT
 */
#include "index/roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"

/* 0, or an errno. */
static int resolve(const char *path, struct root *root)
{
	struct stat status;

	root->path = realpath(path, NULL);
	if (root->path == NULL || stat(root->path, &status) != 0)
		return errno;
	root->is_directory = S_ISDIR(status.st_mode);
	return root->is_directory || S_ISREG(status.st_mode) ? 0 : EINVAL;
}

/* Is this root in another that is walked? Of two that are the same the first is. */
static bool is_covered(const struct roots *roots, unsigned i)
{
	struct bytes path = bytes_of(roots->items[i].path);

	for (unsigned j = 0; j < roots->count; j++) {
		const struct root *other = &roots->items[j];
		if (i == j || other->is_skipped || other->is_list)
			continue;
		if (strcmp(other->path, path.data) == 0
			    ? j < i
			    : other->is_directory &&
				      path_is_at_or_below(path, bytes_of(other->path)))
			return true;
	}
	return false;
}

int roots_init(struct roots *roots, char *const *paths, unsigned path_count, const char *list_name,
	       struct failures *failures, struct simhash_error *error)
{
	roots->count = path_count + (list_name == NULL ? 0 : 1);
	roots->items = calloc(roots->count, sizeof *roots->items);
	if (roots->items == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < roots->count; i++)
		roots->items[i].index = i;
	if (list_name != NULL) {
		struct root *list = &roots->items[path_count];
		list->is_list = true;
		list->path = strdup(list_name);
		if (list->path == NULL)
			return error_set_memory(error);
	}
	for (unsigned i = 0; i < path_count; i++) {
		int why = resolve(paths[i], &roots->items[i]);
		roots->items[i].is_skipped = why != 0;
		roots->items[i].is_gone = why == ENOENT;
		if (why != 0)
			failures_report(failures, i, bytes_of(paths[i]), why);
	}
	for (unsigned i = 0; i < path_count; i++)
		if (!roots->items[i].is_skipped)
			roots->items[i].is_skipped = is_covered(roots, i);
	return 0;
}

void roots_release(struct roots *roots)
{
	for (unsigned i = 0; roots->items != NULL && i < roots->count; i++)
		free(roots->items[i].path);
	free(roots->items);
}
