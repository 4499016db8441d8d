/*
 * Creates files without a name in $TMPDIR, reads and writes them at any place, and writes their
 * error messages.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"

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

/*
 * Create a file that never has a name, so a kill leaves nothing behind. -1 if this is impossible.
 */
static int open_nameless(const char *folder)
{
#ifdef O_TMPFILE
	return open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#else
	(void)folder;
	return -1;
#endif
}

/* For file systems and operating systems without nameless files. */
static int open_unlinked(const char *folder)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s/simfind.XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

/* Uses $TMPDIR, as other programs do; tmpfile() ignores it. */
FILE *temporary_file(void)
{
	int fd = open_nameless(temporary_folder());
	FILE *file;

	if (fd < 0)
		fd = open_unlinked(temporary_folder());
	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w+b");
	if (file == NULL)
		close(fd);
	return file;
}

/* Read until the end of the file or of the buffer. No other process can have shortened the file. */
static ssize_t read_some(FILE *file, char *bytes, size_t size, off_t place,
			 struct simhash_error *error)
{
	ssize_t count;

	do
		count = pread(fileno(file), bytes, size, place);
	while (count < 0 && errno == EINTR);
	if (count == 0)
		errno = EIO;
	return count > 0 ? count : temporary_unreadable(error);
}

int temporary_read_at(FILE *file, void *bytes, size_t size, off_t place,
		      struct simhash_error *error)
{
	for (size_t done = 0; done < size;) {
		ssize_t count = read_some(file, (char *)bytes + done, size - done,
					  place + (off_t)done, error);
		if (count < 0)
			return -1;
		done += (size_t)count;
	}
	return 0;
}

int temporary_write_at(FILE *file, const void *bytes, size_t size, off_t place,
		       struct simhash_error *error)
{
	for (size_t done = 0; done < size;) {
		ssize_t count = pwrite(fileno(file), (const char *)bytes + done, size - done,
				       place + (off_t)done);
		if (count > 0)
			done += (size_t)count;
		else if (count == 0 || errno != EINTR)
			return temporary_no_room(error);
	}
	return 0;
}

/* Fill the buffer to at least `needed` bytes. */
static int fill(struct temporary_window *window, size_t needed, struct simhash_error *error)
{
	size_t rest = window->filled - window->at;

	if (rest > 0)
		memmove(window->buffer, window->buffer + window->at, rest);
	window->at = 0;
	window->filled = rest;
	if (array_reserve(&window->buffer, &window->capacity, needed, 1, error) != 0)
		return -1;
	while (window->filled < needed) {
		size_t room = window->capacity - window->filled;
		off_t left = window->end - window->next;
		ssize_t count = read_some(window->file, window->buffer + window->filled,
					  left < (off_t)room ? (size_t)left : room, window->next,
					  error);
		if (count < 0)
			return -1;
		window->filled += (size_t)count;
		window->next += count;
	}
	return 0;
}

const void *temporary_peek(struct temporary_window *window, size_t needed,
			   struct simhash_error *error)
{
	if (window->filled - window->at < needed && fill(window, needed, error) != 0)
		return NULL;
	return window->buffer + window->at;
}
