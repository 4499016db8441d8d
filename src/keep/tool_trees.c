/*
 * Recognizes directories whose files belong to another program: version control, and trees that
 * builds and package managers make. docs/apply.md gives the reasons.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "keep/keep.h"

static const char *const names[] = {
	".git",		 ".hg",		".svn",	 ".bzr", "CVS",	 "_darcs",  "node_modules",
	"site-packages", "__pycache__", ".venv", ".tox", ".nox", ".gradle",
};

bool keep_is_in_tool_tree(struct bytes path)
{
	const char *inside = memmem(path.data, path.size, "//", 2);
	const char *end = inside != NULL ? inside : path.data + path.size, *name = path.data;

	while (name < end) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		size_t size = (size_t)((slash == NULL ? end : slash) - name);
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
				return true;
		name += size + 1;
	}
	return false;
}
