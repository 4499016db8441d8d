/*
 * Temporary files and what goes wrong with them.
 * SPDX-License-Identifier: MIT
 */
#include "base/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
}

int temporary_no_room(struct simhash_error *error)
{
	return error_set_errno(
		error,
		"cannot write a temporary file in %s (TMPDIR can be a folder with more room)",
		temporary_folder());
}

int temporary_unreadable(struct simhash_error *error)
{
	return error_set_errno(error, "cannot read a temporary file in %s", temporary_folder());
}

/* $TMPDIR is where they go, as for other programs; tmpfile() does not look at it. */
FILE *temporary_file(void)
{
	char *name;
	FILE *file = NULL;
	int fd;

	if (asprintf(&name, "%s/simfind.XXXXXX", temporary_folder()) < 0)
		return NULL;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0) {
		unlink(name);
		file = fdopen(fd, "w+b");
	}
	free(name);
	return file;
}
