/*
 * Files at distance 0, compared byte by byte (paper, 4.2). Being equal is
 * transitive, so of many copies each is read once or twice and not once for
 * every pair: equal files share a class, and a file is compared with one
 * member of each class.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "find/find.h"

#define BUFFER (128 * 1024)
#define PIECE 4000 /* bytes of a path to open at once; below PATH_MAX everywhere that matters */

void confirm_begin(struct finder *finder, struct candidate *file)
{
	file->content_class = ++finder->classes;
	finder->other_count = 0;
}

static bool is_other_class(const struct finder *finder, uint64_t content_class)
{
	for (size_t i = 0; i < finder->other_count; i++)
		if (finder->other_classes[i] == content_class)
			return true;
	return false;
}

static int add_other_class(struct finder *finder, uint64_t content_class,
			   struct simhash_error *error)
{
	if (finder->other_count == finder->other_capacity) {
		size_t capacity = finder->other_capacity == 0 ? 16 : finder->other_capacity * 2;
		uint64_t *grown = realloc(finder->other_classes, capacity * sizeof *grown);
		if (grown == NULL)
			return error_set_memory(error);
		finder->other_classes = grown;
		finder->other_capacity = capacity;
	}
	finder->other_classes[finder->other_count++] = content_class;
	return 0;
}

/* Read until the buffer is full or the file ends; the bytes read, or -1. */
static ssize_t read_full(int fd, char *buffer, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = read(fd, buffer + have, size - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/*
 * Open a path of any length: the kernel takes at most PATH_MAX bytes at once, so
 * a longer one is opened directory by directory in pieces that fit.
 */
static int open_path(const char *path, int flags)
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
		fd = openat(top, piece, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (top != AT_FDCWD)
			close(top);
		if (fd < 0)
			return -1;
		top = fd;
		fd = -1;
		path = cut + 1;
	}
	if (strlen(path) < PIECE)
		fd = openat(top, path, flags);
	if (top != AT_FDCWD) {
		int saved = errno;
		close(top);
		errno = saved;
	}
	return fd;
}

/* A file as it is read now; is_unreadable is set, and told, when it cannot be. */
static int open_candidate(struct finder *finder, struct candidate *file, off_t *size)
{
	int fd = open_path(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int why = 0;

	if (fd < 0 || fstat(fd, &status) != 0)
		why = errno;
	else if (!S_ISREG(status.st_mode))
		why = EINVAL;
	if (why == 0) {
		*size = status.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	file->is_unreadable = true;
	finder->options->unreadable(finder->options->context,
				    (struct bytes){file->display, file->display_size}, why, false);
	return -1;
}

static void read_failed(struct finder *finder, struct candidate *file)
{
	file->is_unreadable = true;
	finder->options->unreadable(finder->options->context,
				    (struct bytes){file->display, file->display_size}, errno,
				    false);
}

static bool compare_bytes(struct finder *finder, struct candidate *x, int x_fd, struct candidate *y,
			  int y_fd)
{
	char *x_buffer = finder->buffers, *y_buffer = finder->buffers + BUFFER;

	for (;;) {
		ssize_t x_size = read_full(x_fd, x_buffer, BUFFER);
		ssize_t y_size;
		if (x_size < 0) {
			read_failed(finder, x);
			return false;
		}
		y_size = read_full(y_fd, y_buffer, BUFFER);
		if (y_size < 0) {
			read_failed(finder, y);
			return false;
		}
		if (x_size != y_size || memcmp(x_buffer, y_buffer, (size_t)x_size) != 0)
			return false;
		if (x_size < BUFFER)
			return true;
	}
}

static bool compare_files(struct finder *finder, struct candidate *x, struct candidate *y)
{
	off_t x_size = 0, y_size = 0;
	int x_fd = open_candidate(finder, x, &x_size);
	int y_fd = x_fd < 0 ? -1 : open_candidate(finder, y, &y_size);
	bool equal = false;

	if (y_fd >= 0 && x_size == y_size)
		equal = compare_bytes(finder, x, x_fd, y, y_fd);
	if (y_fd >= 0)
		close(y_fd);
	if (x_fd >= 0)
		close(x_fd);
	return equal;
}

int confirm_identical(struct finder *finder, struct candidate *file, struct candidate *other,
		      bool *is_identical, struct simhash_error *error)
{
	*is_identical = false;
	if (file->host != finder->local_host || other->host != finder->local_host) {
		*is_identical =
			file->size_bytes == other->size_bytes &&
			memcmp(file->content_hash, other->content_hash, CONTENT_HASH_SIZE) == 0;
		return 0;
	}
	if (file->content_class == other->content_class) {
		*is_identical = true;
		return 0;
	}
	if (file->is_unreadable || other->is_unreadable ||
	    is_other_class(finder, other->content_class))
		return 0;
	if (finder->buffers == NULL)
		finder->buffers = malloc(2 * BUFFER);
	if (finder->buffers == NULL)
		return error_set_memory(error);
	*is_identical = compare_files(finder, file, other);
	if (*is_identical) {
		file->content_class = other->content_class;
		return 0;
	}
	if (file->is_unreadable || other->is_unreadable)
		return 0;
	return add_other_class(finder, other->content_class, error);
}
