/*
 * Reads rows of the table `file` for comparing whole directories, and places archive members in
 * directories of their archives.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/folder_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/rows/row_reader.h"

struct folder_cursor {
	struct row_cursor rows;
	struct file_row file;
	char *path; /* for the directory of a member */
	size_t path_capacity;
};

/* Return the start of the last name in a path. */
static size_t last_name(struct bytes path)
{
	size_t at = path.size;

	while (at > 0 && path.data[at - 1] != '/')
		at--;
	return at;
}

/* Return the size of the part of a member's name up to the last "//": the inner archives. */
static size_t inner_archives(struct bytes name)
{
	for (size_t at = name.size; at >= 2; at--)
		if (name.data[at - 1] == '/' && name.data[at - 2] == '/')
			return at;
	return 0;
}

/*
 * The directory "/a/b.zip/" and the name "w/x.xml" become "/a/b.zip//w" and "x.xml". An archive in
 * an archive has its own directory: "/a/b.zip/" and "c.zip//x" become "/a/b.zip//c.zip/" and "x".
 */
static int place_member(struct folder_cursor *cursor, struct folder_row *row,
			struct simhash_error *error)
{
	size_t archives = inner_archives(row->name), at = last_name(row->name);
	size_t size = row->directory.size;

	if (array_reserve(&cursor->path, &cursor->path_capacity, size + row->name.size + 2, 1,
			  error) != 0)
		return -1;
	memcpy(cursor->path, row->directory.data, size);
	row->archive_size = size;
	if (at > 0) {
		cursor->path[size++] = '/';
		memcpy(cursor->path + size, row->name.data, at - 1);
		row->archive_size += archives;
		size += at - 1;
	}
	row->directory = (struct bytes){cursor->path, size};
	row->name.data += at;
	row->name.size -= at;
	return 0;
}

int store_folder_rows(struct store *store, int64_t tag_set, unsigned with,
		      struct folder_cursor **cursor, struct simhash_error *error)
{
	const struct row_filter filter = {
		.columns = ROW_HOST | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_MTIME | ROW_DEVICE |
			   ROW_INODE | ROW_LINKS | ROW_COMPRESSED_SIZE | ROW_CONTENT_HASH |
			   ((with & FOLDER_ROWS_SKETCHES) != 0 ? ROW_RESEMBLANCE : 0),
		.tag_set = tag_set,
		.with_empty = (with & FOLDER_ROWS_EMPTY) != 0};

	*cursor = calloc(1, sizeof **cursor);
	if (*cursor == NULL)
		return error_set_memory(error);
	if (store_rows_lying(&(*cursor)->rows, store, &filter, NULL, error) == 0)
		return 0;
	free(*cursor);
	*cursor = NULL;
	return -1;
}

static int take_row(struct folder_cursor *cursor, struct folder_row *row,
		    struct simhash_error *error)
{
	const struct file_row *file = &cursor->file;

	*row = (struct folder_row){.host = file->host,
				   .size_bytes = file->size_bytes,
				   .directory = file->directory,
				   .archive_bytes = file->compressed_size_bytes,
				   .name = file->name,
				   .mtime_ns = file->mtime_ns,
				   .device = file->device,
				   .inode = file->inode,
				   .links = file->links,
				   .sketch = file->has_resemblance ? &file->resemblance : NULL};
	memcpy(row->content_hash, file->content_hash, CONTENT_HASH_SIZE);
	if (row->archive_bytes != 0)
		return place_member(cursor, row, error);
	while (row->directory.size > 0 && row->directory.data[row->directory.size - 1] == '/')
		row->directory.size--;
	return 0;
}

int folder_rows_next(struct folder_cursor *cursor, struct folder_row *row,
		     struct simhash_error *error)
{
	const struct file_row *file = &cursor->file;
	int status;

	while ((status = store_rows_next(&cursor->rows, &cursor->file, error)) == 1)
		if (file->size_bytes >= 0 &&
		    (file->compressed_size_bytes == 0 || is_inside_directory(file->directory)))
			return take_row(cursor, row, error) == 0 ? 1 : -1;
	return status;
}

void folder_rows_end(struct folder_cursor *cursor)
{
	if (cursor == NULL)
		return;
	store_rows_end(&cursor->rows);
	free(cursor->path);
	free(cursor);
}
