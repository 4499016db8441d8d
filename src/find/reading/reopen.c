/*
 * Opens a file and checks that it still has its indexed size and time.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/reopen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/open_file.h"

int reopen_file(const struct find_file *file, struct stat *status, int *why)
{
	bool is_inflated = file->compressed_size_bytes > 0;
	const char *path = find_file_path(file);
	/* Inflated content is displayed as FILE//NAME. */
	const char *end = is_inflated ? strstr(path, "//") : NULL;
	char *own = strndup(path, end == NULL ? strlen(path) : (size_t)(end - path));
	int64_t size_bytes = is_inflated ? file->compressed_size_bytes : find_file_bytes(file);
	int fd = own == NULL ? -1 : open_path(own, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	free(own);
	*why = 0;
	if (fd < 0 || fstat(fd, status) != 0)
		*why = errno;
	else if (S_ISREG(status->st_mode) && status->st_size == size_bytes &&
		 stat_mtime_ns(status) == file->mtime_ns)
		return fd;
	if (fd >= 0)
		close_content(fd);
	return -1;
}

int reread_file(int fd, uint8_t *bytes, size_t size, int *why)
{
	for (size_t got = 0; got < size;) {
		ssize_t part = pread(fd, bytes + got, size - got, (off_t)got);
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0) {
			*why = part < 0 ? errno : 0;
			return -1;
		}
		got += (size_t)part;
	}
	return 0;
}
