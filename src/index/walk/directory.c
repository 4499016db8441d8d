/*
 * Makes directory objects and counts their references and uses.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/directory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files/path.h"
#include "index/walk/exclusions.h"
#include "index/walk/level.h"

#define FILES_KEPT_FREE 64 /* descriptors for everything except directories */
#define OPEN_MAX_UNLIMITED 32768

static atomic_uint open_directories;

unsigned directory_open_count(void)
{
	return atomic_load(&open_directories);
}

unsigned directory_open_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur > 2 * OPEN_MAX_UNLIMITED)
		return OPEN_MAX_UNLIMITED;
	return limit.rlim_cur > 2 * FILES_KEPT_FREE
		       ? (unsigned)(limit.rlim_cur - FILES_KEPT_FREE) / 2
		       : FILES_KEPT_FREE / 2;
}

static struct directory *directory_new(int fd, unsigned root, struct bytes parent,
				       struct bytes name)
{
	bool needs_slash = name.size > 0 && parent.data[parent.size - 1] != '/';
	size_t size = parent.size + (needs_slash ? 1 : 0) + name.size;
	struct directory *directory = calloc(1, sizeof *directory + size + 1);

	if (directory == NULL)
		return NULL;
	memcpy(directory->path, parent.data, parent.size);
	if (needs_slash)
		directory->path[parent.size] = '/';
	memcpy(directory->path + size - name.size, name.data, name.size);
	directory->path_size = size;
	directory->fd = fd;
	directory->root = root;
	atomic_init(&directory->references, 1);
	atomic_init(&directory->uses, 1);
	directory_hash(directory_path(directory), directory->hash);
	if (fd >= 0)
		atomic_fetch_add(&open_directories, 1);
	return directory;
}

struct directory *directory_new_top(int fd, unsigned root, const char *path)
{
	struct directory *directory = directory_new(fd, root, bytes_of(path), bytes_of(""));

	if (directory != NULL)
		directory->top_size = directory->path_size + (directory->path_size == 1 ? 0 : 1);
	return directory;
}

struct directory *directory_new_below(int fd, const struct directory *parent, const char *name)
{
	struct directory *directory =
		directory_new(fd, parent->root, directory_path(parent), bytes_of(name));

	if (directory != NULL) {
		directory->top_size = parent->top_size;
		directory->ignores = ignores_hold(parent->ignores);
	}
	return directory;
}

struct directory *directory_new_inside(const struct directory *parent, struct bytes name)
{
	char *own = malloc(name.size + 1);
	struct directory *directory = NULL;

	if (own != NULL) {
		memcpy(own, name.data, name.size);
		own[name.size] = '/';
		directory = directory_new(-1, parent->root, directory_path(parent),
					  (struct bytes){own, name.size + 1});
	}
	free(own);
	return directory;
}

void directory_hold(struct directory *directory)
{
	atomic_fetch_add(&directory->references, 1);
	atomic_fetch_add(&directory->uses, 1);
}

void directory_end_use(struct directory *directory)
{
	if (atomic_fetch_sub(&directory->uses, 1) > 1)
		return;
	if (directory->fd < 0)
		return;
	close(directory->fd);
	atomic_fetch_sub(&open_directories, 1);
}

void directory_drop(struct directory *directory)
{
	if (directory == NULL || atomic_fetch_sub(&directory->references, 1) > 1)
		return;
	ignores_drop(directory->ignores);
	level_drop(directory->level);
	free(directory);
}

void directory_release(struct directory *directory)
{
	directory_end_use(directory);
	directory_drop(directory);
}

const char *directory_relative_path(const struct directory *directory)
{
	bool is_top = directory->path_size <= directory->top_size;

	return is_top ? "" : directory->path + directory->top_size;
}
