/*
 * Reads the rows of the index, and divides their paths.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "presence/presence_files.h"
#include "store/rows/totals.h"

#define COLUMNS                                                                            \
	(TAKING_COLUMNS | ROW_PATH_HASH | ROW_MTIME | ROW_DEVICE | ROW_INODE | ROW_LINKS | \
	 ROW_COMPRESSED_SIZE)

static int begin_progress(const struct finder *finder, struct find_progress *progress,
			  struct simhash_error *error)
{
	int64_t rows = atomic_load(&progress->to_read);

	if (rows == 0 && store_count_not_empty(finder->store, finder->tag_set, &rows, error) != 0)
		return -1;
	atomic_store(&progress->read, 0);
	atomic_store(&progress->to_read, rows);
	atomic_store(&progress->is_reading, true);
	return 0;
}

int held_each_row(struct held_files *held, take_row_fn *take, struct simhash_error *error)
{
	const struct finder *finder = held->finder;
	struct find_progress *progress = finder->resources->progress;
	const struct row_filter filter = {.columns = COLUMNS, .tag_set = finder->tag_set};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (progress != NULL && begin_progress(finder, progress, error) != 0)
		return -1;
	if (store_rows_lying(&cursor, finder->store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		if (progress != NULL)
			atomic_fetch_add(&progress->read, 1);
		if (row.size_bytes <= 0 || row_is_text(row.contents))
			continue;
		if (take(held, &row, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	return status;
}

static bool is_on_host_of(const struct held_files *held, const struct find_side *side,
			  const struct file_row *row)
{
	const struct finder *finder = held->finder;

	return row->host ==
	       (side->host == NULL ? finder->local_host : name_list_id(&finder->hosts, side->host));
}

bool held_is_in(const struct held_files *held, const struct find_side *side,
		const struct file_row *row)
{
	return is_on_host_of(held, side, row) &&
	       row_is_below(row->directory, row->name, side->directory);
}

bool held_has_path(const struct held_files *held, const struct find_side *side,
		   const struct file_row *row, struct bytes path)
{
	struct bytes directory = row->directory;

	while (path.size > 0 && path.data[path.size - 1] == '/')
		path.size--;
	while (directory.size > 0 && directory.data[directory.size - 1] == '/')
		directory.size--;
	return path.size == directory.size + 1 + row->name.size &&
	       memcmp(path.data, directory.data, directory.size) == 0 &&
	       path.data[directory.size] == '/' &&
	       memcmp(path.data + directory.size + 1, row->name.data, row->name.size) == 0 &&
	       is_on_host_of(held, side, row);
}

/* Is a member, whose path may be the rest of `outer`, below a top in its archive? */
static bool is_inside_top(const struct find_side *top, const struct file_row *row)
{
	struct bytes outer = row->directory;

	if (!is_inside_directory(outer))
		return !path_is_at_or_below(outer, top->directory);
	outer.size--;
	return path_is_at_or_below(top->directory, outer);
}

const struct find_side *held_top(const struct held_files *held, const struct file_row *row)
{
	const struct presence_request *wanted = held->wanted;

	for (size_t i = 0; i < wanted->top_count; i++)
		if (held_is_in(held, &wanted->tops[i], row))
			return &wanted->tops[i];
	return NULL;
}

bool held_is_asked(const struct find_side *top, const struct file_row *row)
{
	return !row_is_inside(row->compressed_size_bytes) || is_inside_top(top, row);
}

const char *held_path(struct held_files *held, const struct file_row *row,
		      struct simhash_error *error)
{
	struct bytes directory = row->directory, name = row->name;
	size_t size;
	char *at;

	if (row_is_inside(row->compressed_size_bytes)) {
		if (is_inside_directory(directory))
			name.size = 0;
		else
			name.size = own_name_size(name);
	}
	while (directory.size > 0 && directory.data[directory.size - 1] == '/')
		directory.size--;
	size = directory.size + name.size;
	if (array_reserve(&held->path, &held->path_capacity, size + 3, 1, error) != 0)
		return NULL;
	/* Another program may have written a row whose path is empty or relative. */
	at = held->path;
	if (directory.size == 0 || directory.data[0] != '/')
		*at++ = '/';
	memcpy(at, directory.data, directory.size);
	at += directory.size;
	if (name.size > 0 && at[-1] != '/')
		*at++ = '/';
	memcpy(at, name.data, name.size);
	at[name.size] = '\0';
	return held->path;
}

/* Divide the path of a row into the folder and the name that are shown. */
static int split_path(struct held_files *held, const struct file_row *row, struct bytes *folder,
		      struct bytes *name, struct simhash_error *error)
{
	size_t size = row->directory.size, at;
	bool has_slash = size > 0 && row->directory.data[size - 1] == '/' &&
			 !is_inside_directory(row->directory);

	if (array_reserve(&held->path, &held->path_capacity, size + row->name.size + 2, 1, error) !=
	    0)
		return -1;
	memcpy(held->path, row->directory.data, size);
	if (!has_slash)
		held->path[size++] = '/';
	memcpy(held->path + size, row->name.data, row->name.size);
	size += row->name.size;
	for (at = size; at > 0 && held->path[at - 1] != '/'; at--)
		;
	*folder = (struct bytes){held->path, at > 0 ? at - 1 : 0};
	*name = (struct bytes){held->path + at, size - at};
	return 0;
}

/* The number of the folder of a row, from 1, and its name. 0: memory is short. */
static uint32_t row_folder(struct held_files *held, const struct file_row *row,
			   const struct find_side *top, struct bytes *name,
			   struct simhash_error *error)
{
	struct bytes folder;

	if (split_path(held, row, &folder, name, error) != 0)
		return 0;
	return held_folder_add(held, row->host, folder,
			       top == NULL ? (struct bytes){"", 0} : top->directory, error);
}

int held_row_count(struct held_files *held, const struct file_row *row, const struct find_side *top,
		   struct simhash_error *error)
{
	struct bytes name;
	uint32_t folder = row_folder(held, row, top, &name, error);

	if (folder == 0)
		return -1;
	held_count(held, folder, false);
	return 0;
}

struct held_file *held_row_add(struct held_files *held, const struct file_row *row,
			       const struct find_side *top, struct simhash_error *error)
{
	uint32_t content = held_content_add(held, row->size_bytes, row->content_hash, error), in;
	struct bytes name;
	struct held_file *file;

	if (content == 0)
		return NULL;
	in = row_folder(held, row, top, &name, error);
	file = in == 0 ? NULL : held_file_add(held, in, name, content, error);
	if (file == NULL)
		return NULL;
	file->size_bytes = row->size_bytes;
	file->mtime_ns = row->mtime_ns;
	file->device = (uint64_t)row->device;
	file->inode = (uint64_t)row->inode;
	return held_file_enter(held, row->path_hash, error) == 0 ? file : NULL;
}
