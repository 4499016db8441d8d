/*
 * Resolves the given paths and skips paths inside other roots.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"

/* Returns 0, or an errno. */
static int resolve(const char *path, struct root *root)
{
	struct stat status;

	root->path = realpath(path, NULL);
	if (root->path == NULL || stat(root->path, &status) != 0)
		return errno;
	root->is_directory = S_ISDIR(status.st_mode);
	return root->is_directory || S_ISREG(status.st_mode) ? 0 : EINVAL;
}

/*
 * Open a directory between one root and another root below it, if the walk would enter it: it can
 * be read, and it is not on a file system that the walk skips (EXDEV). Otherwise returns -1.
 */
static int step_down(int above, const char *name, bool one_file_system)
{
	int fd = open_file_at(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct stat here, there;

	if (fd >= 0 && above != AT_FDCWD &&
	    (fstat(above, &here) != 0 || fstat(fd, &there) != 0 ||
	     (here.st_dev != there.st_dev && (one_file_system || is_kernel_file_system(fd))))) {
		close(fd);
		errno = EXDEV;
		return -1;
	}
	return fd;
}

/* Will the walk of a directory reach a path below it, as far as this is known before? */
static bool is_reached(const char *top, const struct root *root, bool one_file_system)
{
	char *rest = strdup(root->path + strlen(top)), *name = rest, *end;
	int fd = rest == NULL ? -1 : step_down(AT_FDCWD, top, one_file_system), below;
	bool is_last;

	for (; fd >= 0 && *(name += strspn(name, "/")) != '\0'; name = end, fd = below) {
		end = name + strcspn(name, "/");
		is_last = *end == '\0';
		/* A file is found in its directory. */
		if (is_last && !root->is_directory)
			break;
		if (!is_last)
			*end++ = '\0';
		below = step_down(fd, name, one_file_system);
		/* A directory that cannot be read is also found, and reported. */
		if (is_last && below < 0 && errno != EXDEV)
			break;
		close(fd);
	}
	free(rest);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Is this root inside another root that is walked? Of two equal roots, the first is walked. */
static bool is_covered(const struct roots *roots, unsigned i, bool one_file_system)
{
	struct bytes path = bytes_of(roots->items[i].path);

	for (unsigned j = 0; j < roots->count; j++) {
		const struct root *other = &roots->items[j];
		if (i == j || other->is_skipped || other->is_list)
			continue;
		if (strcmp(other->path, path.data) == 0
			    ? j < i
			    : other->is_directory &&
				      path_is_at_or_below(path, bytes_of(other->path)) &&
				      is_reached(other->path, &roots->items[i], one_file_system))
			return true;
	}
	return false;
}

int roots_init(struct roots *roots, char *const *paths, unsigned path_count, const char *list_name,
	       bool one_file_system, struct failures *failures, struct simhash_error *error)
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
		roots->items[i].is_skipped = roots->items[i].has_failed = why != 0;
		roots->items[i].is_gone = why == ENOENT;
		if (why != 0)
			failures_report(failures, i, bytes_of(paths[i]), why);
	}
	for (unsigned i = 0; i < path_count; i++)
		if (!roots->items[i].is_skipped)
			roots->items[i].is_skipped = is_covered(roots, i, one_file_system);
	return 0;
}

bool roots_have_all_failed(struct roots *roots, struct failures *failures)
{
	for (unsigned i = 0; i < roots->count; i++) {
		const struct root *root = &roots->items[i];
		if (root->is_list ||
		    (!root->has_failed && faccessat(AT_FDCWD, root->path, R_OK, AT_EACCESS) == 0))
			return false;
	}
	for (unsigned i = 0; i < roots->count; i++)
		if (!roots->items[i].has_failed) {
			const char *path = roots->items[i].path;
			int why = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? EACCES : errno;
			roots->items[i].has_failed = true;
			failures_report(failures, i, bytes_of(path), why);
		}
	return true;
}

void roots_release(struct roots *roots)
{
	for (unsigned i = 0; roots->items != NULL && i < roots->count; i++)
		free(roots->items[i].path);
	free(roots->items);
}
