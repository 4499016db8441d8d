/*
 * Collects the files of two folders and sorts them by content and name.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

struct bytes last_name(struct bytes path)
{
	size_t size = path.size;

	while (size > 0 && path.data[size - 1] != '/')
		size--;
	return (struct bytes){path.data + size, path.size - size};
}

static int compare_key(const struct named_file *file, uint32_t content, struct bytes name)
{
	if (file->content != content)
		return file->content < content ? -1 : 1;
	return bytes_compare(last_name(file->path), name);
}

static int compare_named(const void *a, const void *b)
{
	const struct named_file *x = a, *y = b;
	int order = compare_key(x, y->content, last_name(y->path));

	return order != 0 ? order : bytes_compare(x->path, y->path);
}

void named_files_sort(struct named_files *named)
{
	if (named->count > 1)
		qsort(named->files, named->count, sizeof *named->files, compare_named);
}

size_t named_files_first(const struct named_files *named, uint32_t content, struct bytes name)
{
	size_t low = 0, high = named->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_key(&named->files[middle], content, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int folder_files_add(struct folder_files *files, int side, size_t above,
		     const struct folder_row *row, struct arena *paths, struct simhash_error *error)
{
	struct named_files *named = &files->named[side];
	struct bytes inner = {row->directory.data + above, row->directory.size - above};
	char *path;

	/* Remove the slash before a name, or two slashes in an archive. */
	while (inner.size > 0 && inner.data[0] == '/') {
		inner.data++;
		inner.size--;
	}
	path = arena_take(paths, inner.size + row->name.size + 2);
	if (path == NULL)
		return error_set_memory(error);
	if (array_reserve(&named->files, &named->capacity, named->count + 1, sizeof *named->files,
			  error) != 0)
		return -1;
	memcpy(path, inner.data, inner.size);
	if (inner.size > 0)
		path[inner.size++] = '/';
	memcpy(path + inner.size, row->name.data, row->name.size);
	named->files[named->count++] = (struct named_file){
		.path = {path, inner.size + row->name.size},
		.content = row->size_bytes == 0 ? NO_CONTENT
						: folder_tree_content(files->tree, row->size_bytes,
								      row->content_hash),
		.size_bytes = row->size_bytes};
	return 0;
}

void folder_files_release(struct folder_files *files)
{
	free(files->named[0].files);
	free(files->named[1].files);
}
