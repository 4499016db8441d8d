/*
 * Opening paths that are longer than the system takes at once.
 * SPDX-License-Identifier: MIT
 */
#include "index/open_path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/open_file.h"

#define PIECE 4000 /* bytes of a path to open at once; below PATH_MAX everywhere that matters */

int open_path(const char *path, int flags)
{
	char piece[PIECE];
	int top = AT_FDCWD, fd = -1;

	while (strlen(path) >= PIECE) {
		const char *cut = path + PIECE - 1;
		while (cut > path && *cut != '/')
			cut--;
		if (cut == path) {
			errno = ENAMETOOLONG;
			break;
		}
		memcpy(piece, path, (size_t)(cut - path));
		piece[cut - path] = '\0';
		fd = open_file_at(top, piece, O_RDONLY | O_DIRECTORY, 0);
		if (top != AT_FDCWD)
			close(top);
		if (fd < 0)
			return -1;
		top = fd;
		fd = -1;
		path = cut + 1;
	}
	if (strlen(path) < PIECE)
		fd = open_file_at(top, path, flags, 0);
	if (top != AT_FDCWD) {
		int saved = errno;
		close(top);
		errno = saved;
	}
	return fd;
}
