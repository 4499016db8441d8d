/*
 * Whole files, in memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/open_file.h"

#define ROOM_FIRST 65536

/* Room for what a regular file holds, and for one byte more, by which its end is seen. */
static size_t expected_size(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return ROOM_FIRST;
	return (size_t)status.st_size + 2;
}

int read_descriptor(int fd, const char *name, size_t max_bytes, char **bytes, size_t *size,
		    struct simhash_error *error)
{
	size_t room = 0, wanted = expected_size(fd);
	ssize_t got = 1;

	*bytes = NULL;
	*size = 0;
	while (got != 0) {
		if (array_reserve(bytes, &room, wanted, 1, error) != 0)
			goto failed;
		got = read(fd, *bytes + *size, room - 1 - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error_set_errno(error, "cannot read %s", name);
			goto failed;
		}
		*size += (size_t)got;
		if (*size > max_bytes) {
			error_set(error, SIMHASH_E_RANGE,
				  "%s: expected a file of at most %zu bytes", name, max_bytes);
			goto failed;
		}
		if (*size == room - 1)
			wanted = room + 1;
	}
	(*bytes)[*size] = '\0';
	return 0;
failed:
	free(*bytes);
	*bytes = NULL;
	return -1;
}

int read_path(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error)
{
	int fd, status;

	*bytes = NULL;
	fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_NOCTTY, 0);
	if (fd < 0)
		return error_set_errno(error, "cannot read %s", path);
	status = read_descriptor(fd, path, max_bytes, bytes, size, error);
	close_content(fd);
	return status;
}

int read_file(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error)
{
	if (strcmp(path, "-") == 0)
		return read_descriptor(STDIN_FILENO, "standard input", max_bytes, bytes, size,
				       error);
	return read_path(path, max_bytes, bytes, size, error);
}
