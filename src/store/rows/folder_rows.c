/*
 * Reads rows of the table `file` for comparing whole directories, and places members in directories
 * of their archives.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/folder_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/rows/file_columns.h"

struct folder_cursor {
	struct query query;
	char *path; /* of the directory of a member */
	size_t path_capacity;
	struct file_row file; /* its sketch alone is set */
	bool with_sketches;
};

/* Where the last name of a path begins. */
static size_t last_name(struct bytes path)
{
	size_t at = path.size;

	while (at > 0 && path.data[at - 1] != '/')
		at--;
	return at;
}

/* The bytes of a member's name up to the last "//": the archives that it is in, in that of its row. */
static size_t inner_archives(struct bytes name)
{
	for (size_t at = name.size; at >= 2; at--)
		if (name.data[at - 1] == '/' && name.data[at - 2] == '/')
			return at;
	return 0;
}

/*
 * The directory "/a/b.zip/" and the name "w/x.xml" become "/a/b.zip//w" and "x.xml"; an archive in
 * an archive is one of its own: "/a/b.zip/" and "c.zip//x" become "/a/b.zip//c.zip/" and "x".
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
	*cursor = calloc(1, sizeof **cursor);
	if (*cursor == NULL)
		return error_set_memory(error);
	(*cursor)->with_sketches = (with & FOLDER_ROWS_SKETCHES) != 0;
	if (query_begin_format(
		    &(*cursor)->query, store, error,
		    "SELECT host, directory, name, size, device, inode, links, content_hash, "
		    "compressed_size, mtime_ns%s FROM file WHERE tag_set = ? AND size >= ?",
		    (*cursor)->with_sketches ? ", resemblance_sketch" : "") != 0) {
		free(*cursor);
		*cursor = NULL;
		return -1;
	}
	query_bind_integer(&(*cursor)->query, tag_set);
	query_bind_integer(&(*cursor)->query, (with & FOLDER_ROWS_EMPTY) != 0 ? 0 : 1);
	return 0;
}

static int take_sketch(struct folder_cursor *cursor, struct folder_row *row,
		       struct simhash_error *error)
{
	struct file_row *file = &cursor->file;

	row->sketch = NULL;
	if (!cursor->with_sketches)
		return 0;
	file->directory = row->directory;
	file->name = row->name;
	if (resemblance_take(&cursor->query, 10, file, error) != 0)
		return -1;
	if (file->has_resemblance)
		row->sketch = &file->resemblance;
	return 0;
}

static int take_row(struct folder_cursor *cursor, struct folder_row *row,
		    struct simhash_error *error)
{
	struct query *query = &cursor->query;

	row->host = query_integer(query, 0);
	row->directory = query_bytes(query, 1);
	row->name = query_bytes(query, 2);
	row->size_bytes = query_integer(query, 3);
	row->device = query_integer(query, 4);
	row->inode = query_integer(query, 5);
	row->links = query_integer(query, 6);
	row->archive_size = 0;
	row->archive_bytes = query_integer(query, 8);
	row->mtime_ns = query_integer(query, 9);
	if (query_fixed_bytes(query, 7, row->content_hash, CONTENT_HASH_SIZE, error) != 0 ||
	    take_sketch(cursor, row, error) != 0)
		return -1;
	if (row->archive_bytes != 0)
		return place_member(cursor, row, error);
	while (row->directory.size > 0 && row->directory.data[row->directory.size - 1] == '/')
		row->directory.size--;
	return 0;
}

int folder_rows_next(struct folder_cursor *cursor, struct folder_row *row,
		     struct simhash_error *error)
{
	struct query *query = &cursor->query;
	int status;

	while ((status = query_next(query, error)) == 1)
		if (query_integer(query, 8) == 0 || is_inside_directory(query_bytes(query, 1)))
			return take_row(cursor, row, error) == 0 ? 1 : -1;
	return status;
}

void folder_rows_end(struct folder_cursor *cursor)
{
	if (cursor == NULL)
		return;
	query_end(&cursor->query);
	free(cursor->path);
	free(cursor);
}
