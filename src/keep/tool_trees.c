/*
 * Recognizes directories whose files belong to another program: version control, and trees that
 * builds and package managers make. docs/apply.md gives the reasons.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "keep/keep.h"

/* Version control comes first. */
#define VERSION_CONTROLS 6

static const char *const names[] = {
	".git",		 ".hg",		".svn",	 ".bzr", "CVS",	 "_darcs",  "node_modules",
	"site-packages", "__pycache__", ".venv", ".tox", ".nox", ".gradle",
};

/* Find the first part of a path that is one of the first names. NULL: there is none. */
static const char *find_name(struct bytes path, size_t count)
{
	const char *inside = memmem(path.data, path.size, "//", 2);
	const char *end = inside != NULL ? inside : path.data + path.size, *name = path.data;

	while (name < end) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		size_t size = (size_t)((slash == NULL ? end : slash) - name);
		for (size_t i = 0; i < count; i++)
			if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
				return name;
		name += size + 1;
	}
	return NULL;
}

bool keep_is_in_tool_tree(struct bytes path)
{
	return find_name(path, sizeof names / sizeof *names) != NULL;
}

struct bytes keep_work_tree(struct bytes path)
{
	const char *name = find_name(path, VERSION_CONTROLS);

	if (name == NULL || name == path.data)
		return (struct bytes){NULL, 0};
	return (struct bytes){path.data, (size_t)(name - path.data) - 1};
}
