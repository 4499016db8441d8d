/*
 * Joins, splits, resolves and compares paths.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/path.h"

#include <stdlib.h>
#include <string.h>

char *path_join(struct bytes directory, struct bytes name)
{
	char *path = malloc(directory.size + name.size + 2);
	size_t size = directory.size;

	if (path == NULL)
		return NULL;
	memcpy(path, directory.data, size);
	if (size > 0 && path[size - 1] != '/')
		path[size++] = '/';
	memcpy(path + size, name.data, name.size);
	path[size + name.size] = '\0';
	return path;
}

struct bytes path_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return bytes_of(".");
	return (struct bytes){path, slash == path ? 1 : (size_t)(slash - path)};
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

char *path_absolute(const char *path)
{
	size_t size = strlen(path), name;
	char *directory, *above, *absolute;

	while (size > 1 && path[size - 1] == '/')
		size--;
	for (name = size; name > 0 && path[name - 1] != '/';)
		name--;
	/* For "/", ".", ".." and "", resolve the whole path. */
	if (name == size || (size - name == 1 && path[name] == '.') ||
	    (size - name == 2 && path[name] == '.' && path[name + 1] == '.'))
		return realpath(path, NULL);
	directory = name == 0 ? strdup(".") : strndup(path, name);
	above = directory == NULL ? NULL : realpath(directory, NULL);
	/* Keep the given name of a directory that does not exist. */
	if (above == NULL && directory != NULL && name > 1)
		above = path_absolute(directory);
	absolute = above == NULL
			   ? NULL
			   : path_join(bytes_of(above), (struct bytes){path + name, size - name});
	free(above);
	free(directory);
	return absolute;
}

bool path_is_at_or_below(struct bytes path, struct bytes top)
{
	return path.size >= top.size && memcmp(path.data, top.data, top.size) == 0 &&
	       (path.size == top.size || top.size <= 1 || path.data[top.size] == '/');
}

struct bytes path_above(struct bytes path)
{
	while (path.size > 0 && path.data[--path.size] != '/')
		;
	return path;
}

void path_widen(struct bytes *directory, struct bytes path)
{
	while (directory->size > 0 && !path_is_at_or_below(path, *directory))
		*directory = path_above(*directory);
}

int path_compare(struct bytes x, struct bytes y)
{
	size_t i = 0;

	while (i < x.size && i < y.size && x.data[i] == y.data[i])
		i++;
	if (i == x.size || i == y.size)
		return (x.size > y.size) - (x.size < y.size);
	if (x.data[i] == '/' || y.data[i] == '/')
		return x.data[i] == '/' ? -1 : 1;
	return (unsigned char)x.data[i] < (unsigned char)y.data[i] ? -1 : 1;
}
