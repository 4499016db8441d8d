/*
 * Opening files, and ending texts.
 * SPDX-License-Identifier: MIT
 */
#include "core/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int open_file_at(int directory_fd, const char *path, int flags, mode_t mode)
{
	int fd;

	do {
		fd = openat(directory_fd, path, flags | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

FILE *open_stream(const char *path, int flags, mode_t mode, const char *stream_mode)
{
	int fd = open_file_at(AT_FDCWD, path, flags, mode);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, stream_mode);

	if (stream == NULL && fd >= 0) {
		int saved = errno;
		close(fd);
		errno = saved;
	}
	return stream;
}

int close_text(FILE *stream, char **text)
{
	/* The last allocation may fail, of which glibc tells by the pointer alone. */
	if (fclose(stream) == 0 && *text != NULL)
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}
