/*
 * Finding the counterpart of each file: by path, by name, by content, by what is most alike.
 * SPDX-License-Identifier: MIT
 */
#include "find/folder_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* ---- Names ---- */

static struct bytes name_of(struct bytes path)
{
	size_t size = path.size;

	while (size > 0 && path.data[size - 1] != '/')
		size--;
	return (struct bytes){path.data + size, path.size - size};
}

static int compare_key(const struct named_file *file, uint32_t content, struct bytes name,
		       struct bytes path)
{
	int order;

	if (file->content != content)
		return file->content < content ? -1 : 1;
	order = bytes_compare(name_of(file->path), name);
	return order != 0 ? order : bytes_compare(file->path, path);
}

static int compare_named(const void *a, const void *b)
{
	const struct named_file *x = a, *y = b;

	return compare_key(x, y->content, name_of(y->path), y->path);
}

int folder_files_add(struct folder_files *files, int side, size_t above,
		     const struct folder_row *row, struct arena *paths, struct simhash_error *error)
{
	struct named_files *named = &files->named[side];
	struct bytes inner = {row->directory.data + above, row->directory.size - above};
	char *path;

	/* The slash before what is inside it, or two in an archive, goes behind that. */
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
		.content = folder_tree_content(files->tree, row->size_bytes, row->content_hash),
		.size_bytes = row->size_bytes};
	return 0;
}

/* ---- Counterparts ---- */

/* The first file of a content that is not before this name and path; NULL: there is none. */
static const struct named_file *first_from(const struct named_files *named, uint32_t content,
					   struct bytes name, struct bytes path)
{
	size_t low = 0, high = named->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_key(&named->files[middle], content, name, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < named->count && named->files[low].content == content ? &named->files[low]
									  : NULL;
}

/* How a file of a content was found: the better comes first. */
enum way { WAY_PATH, WAY_NAME, WAY_CONTENT, WAY_NONE };

static enum way find_file(const struct named_files *named, uint32_t content, struct bytes path,
			  const struct named_file **found)
{
	const struct bytes name = name_of(path), nothing = {"", 0};

	*found = first_from(named, content, name, path);
	if (*found != NULL && bytes_compare((*found)->path, path) == 0)
		return WAY_PATH;
	*found = first_from(named, content, name, nothing);
	if (*found != NULL && bytes_compare(name_of((*found)->path), name) == 0)
		return WAY_NAME;
	*found = first_from(named, content, nothing, nothing);
	return *found == NULL ? WAY_NONE : WAY_CONTENT;
}

/* Of the contents that are most alike, the file that is at the same path, or of the same name. */
static const struct named_file *find_changed(const struct folder_files *files,
					     const struct named_file *file, uint32_t millionths)
{
	const struct folder_tree *tree = files->tree;
	const struct named_file *best = NULL, *found;
	enum way best_way = WAY_NONE, way;

	for (size_t i = tree->alike_first[file->content]; i < tree->alike_first[file->content + 1];
	     i++) {
		if (tree->alike[i].millionths != millionths)
			continue;
		way = find_file(&files->named[1], tree->alike[i].content, file->path, &found);
		if (way < best_way || (way < WAY_NONE && way == best_way &&
				       bytes_compare(found->path, best->path) < 0)) {
			best = found;
			best_way = way;
		}
	}
	return best;
}

static int add_file(struct folder_comparison *result, const struct folder_file *file,
		    struct simhash_error *error)
{
	if (array_reserve(&result->files, &result->capacity, result->count + 1,
			  sizeof *result->files, error) != 0)
		return -1;
	result->files[result->count++] = *file;
	return 0;
}

/* A content that came since the rows were read first has no number, and is in one folder alone. */
static uint32_t measure_content(const struct folder_files *files, uint32_t content, int other)
{
	return content == NO_CONTENT ? 0 : content_in(files->tree, content, files->ranges[other]);
}

static int add_of_a(const struct folder_files *files, const struct named_file *file,
		    struct folder_comparison *result, struct simhash_error *error)
{
	struct folder_file added = {
		.fate = FATE_ONLY_A, .path_a = file->path, .size_a_bytes = file->size_bytes};
	uint32_t millionths = measure_content(files, file->content, 1);
	const struct named_file *found = NULL;
	enum way way = WAY_NONE;

	if (millionths > 0)
		way = find_file(&files->named[1], file->content, file->path, &found);
	if (way < WAY_NONE)
		added.fate = way == WAY_PATH ? FATE_SAME : FATE_MOVED;
	else if (millionths > 0)
		found = find_changed(files, file, millionths);
	if (found != NULL && way == WAY_NONE)
		added.fate = FATE_CHANGED;
	if (found != NULL) {
		added.path_b = found->path;
		added.size_b_bytes = found->size_bytes;
		added.resemblance = (double)millionths / SIMHASH_MILLION;
	}
	return add_file(result, &added, error);
}

static int compare_results(const void *a, const void *b)
{
	const struct folder_file *x = a, *y = b;
	struct bytes path_x = x->fate == FATE_ONLY_B ? x->path_b : x->path_a;
	struct bytes path_y = y->fate == FATE_ONLY_B ? y->path_b : y->path_a;

	if (x->fate != y->fate)
		return x->fate < y->fate ? -1 : 1;
	return bytes_compare(path_x, path_y);
}

int folder_files_match(struct folder_files *files, struct folder_comparison *comparison,
		       struct simhash_error *error)
{
	const struct named_files *named = files->named;

	for (int side = 0; side < 2; side++)
		if (named[side].count > 1)
			qsort(named[side].files, named[side].count, sizeof *named[side].files,
			      compare_named);
	for (size_t i = 0; i < named[0].count; i++)
		if (add_of_a(files, &named[0].files[i], comparison, error) != 0)
			return -1;
	for (size_t i = 0; i < named[1].count; i++) {
		const struct named_file *file = &named[1].files[i];
		const struct folder_file added = {.fate = FATE_ONLY_B,
						  .path_b = file->path,
						  .size_b_bytes = file->size_bytes};
		if (measure_content(files, file->content, 0) == 0 &&
		    add_file(comparison, &added, error) != 0)
			return -1;
	}
	if (comparison->count > 1)
		qsort(comparison->files, comparison->count, sizeof *comparison->files,
		      compare_results);
	return 0;
}

void folder_files_release(struct folder_files *files)
{
	free(files->named[0].files);
	free(files->named[1].files);
}
