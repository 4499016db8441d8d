/*
 * Reads files, pipes and descriptors in full, with a size limit, and decodes texts to UTF-8.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/basic/utf16.h"
#include "base/data/array.h"
#include "base/files/open_file.h"

#define ROOM_FIRST 65536
#define WAIT_MS 100 /* the interval at which to check `stop` */

/* On other systems, poll() may report that a pipe has ended if nobody opened it for writing. */
#ifdef __linux__
#define OPEN_WITHOUT_WAITING O_NONBLOCK
#else
#define OPEN_WITHOUT_WAITING 0
#endif

int open_input(const char *path)
{
	return open_path(path, O_RDONLY | O_NOCTTY | OPEN_WITHOUT_WAITING);
}

ssize_t read_some(int fd, const char *name, void *bytes, size_t size, const atomic_bool *stop,
		  struct simhash_error *error)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int ready_count;
	ssize_t got;

	for (;;) {
		if (stop != NULL && atomic_load(stop))
			return error_set(error, ERROR_STOPPED, "stopped");
		ready_count = poll(&ready, 1, WAIT_MS);
		if (ready_count == 0 || (ready_count < 0 && errno == EINTR))
			continue;
		got = read(fd, bytes, size);
		if (got >= 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)
			return error_set_errno(error, "cannot read %s", name);
	}
}

static int refuse_size(const char *name, size_t max_bytes, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE, "%s: expected a file of at most %zu bytes", name,
			 max_bytes);
}

/*
 * Return the size of a regular file plus one byte, with which the reader detects the end. 0: it is
 * larger than allowed.
 */
static size_t expected_size(int fd, size_t max_bytes)
{
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return ROOM_FIRST;
	return (uint64_t)status.st_size > max_bytes ? 0 : (size_t)status.st_size + 2;
}

int read_descriptor(int fd, const char *name, size_t max_bytes, char **bytes, size_t *size,
		    struct simhash_error *error)
{
	size_t room = 0, wanted = expected_size(fd, max_bytes);
	ssize_t got = 1;

	*bytes = NULL;
	*size = 0;
	if (wanted == 0)
		return refuse_size(name, max_bytes, error);
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
			refuse_size(name, max_bytes, error);
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

int text_decode(const char *name, char **bytes, size_t *size, struct simhash_error *error)
{
	size_t mark, left, used;
	enum text_form form = text_form_of(*bytes, *size, &mark);
	char *read = *bytes, *text = NULL;
	int status = 0;

	left = *size -= mark;
	if (form == TEXT_BYTES) {
		memmove(read, read + mark, left + 1);
		return 0;
	}
	text = malloc(UTF8_ROOM(left) + 1);
	if (text == NULL) {
		status = error_set_memory(error);
	} else if (used = utf16_to_utf8(form, read + mark, left, text, size), used < left) {
		status = error_set(error, SIMHASH_E_SYNTAX,
				   "%s is cut off: its UTF-16 ends within a character", name);
		free(text);
		text = NULL;
	} else {
		text[*size] = '\0';
	}
	free(read);
	*bytes = text;
	return status;
}

int read_text_file(const char *path, size_t max_bytes, char **text, size_t *size,
		   struct simhash_error *error)
{
	if (read_path(path, max_bytes, text, size, error) != 0 ||
	    text_decode(path, text, size, error) != 0)
		return -1;
	if (memchr(*text, '\0', *size) == NULL)
		return 0;
	free(*text);
	*text = NULL;
	return error_set(error, SIMHASH_E_SYNTAX, "%s: expected text, found a zero byte", path);
}
