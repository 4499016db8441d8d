/*
 * Resolves the path of a member of an archive.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/member_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *member_separator(const char *path)
{
	return strstr(path, "//");
}

char *member_resolve(const char *path)
{
	for (const char *at = path; (at = strstr(at + 1, "//")) != NULL;) {
		char *archive = strndup(path, (size_t)(at - path)), *resolved, *whole = NULL;
		struct stat file;
		if (archive == NULL)
			return NULL;
		resolved = realpath(archive, NULL);
		if (resolved == NULL && path[0] == '/')
			resolved = strdup(archive);
		free(archive);
		if (resolved != NULL && (stat(resolved, &file) != 0 || !S_ISDIR(file.st_mode)) &&
		    asprintf(&whole, "%s%s", resolved, at) < 0)
			whole = NULL;
		free(resolved);
		if (whole != NULL)
			return whole;
	}
	errno = ENOENT;
	return NULL;
}
