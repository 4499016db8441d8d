/*
 * Removes the rows of a file, or the rows of a directory and everything below it.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/forget.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "store/names/tag_sets.h"
#include "store/rows/known_file.h"
#include "store/write/batch.h"

#define DIRECTORIES_AT_ONCE 1000

int directory_list_add(struct directory_list *list, const uint8_t hash[DIRECTORY_HASH_SIZE],
		       struct simhash_error *error)
{
	if (array_reserve(&list->hashes, &list->capacity, list->count + 1, sizeof *list->hashes,
			  error) != 0)
		return -1;
	memcpy(list->hashes[list->count++], hash, DIRECTORY_HASH_SIZE);
	return 0;
}

int directory_list_remove(const struct directory_list *list, struct store *store,
			  const struct row_scope *scope, int64_t *removed,
			  struct simhash_error *error)
{
	const uint8_t(*hashes)[DIRECTORY_HASH_SIZE] =
		(const uint8_t(*)[DIRECTORY_HASH_SIZE])list->hashes;

	for (size_t i = 0; i < list->count; i += DIRECTORIES_AT_ONCE) {
		size_t rest = list->count - i;
		struct store_batch batch = {
			.removed_directories = hashes + i,
			.removed_directory_count = rest < DIRECTORIES_AT_ONCE ? rest
									      : DIRECTORIES_AT_ONCE,
		};
		int64_t part = 0;
		if (store_write(store, scope, &batch, &part, error) != 0)
			return -1;
		*removed += part;
	}
	return 0;
}

/* Store the directories first, because the connection that reads them must also write. */
static int keep_directories_below(struct directory_list *list, struct store *store,
				  const struct row_scope *scope, struct bytes root,
				  struct simhash_error *error)
{
	struct known_directories directories;
	struct known_directory known;
	int status = known_directories_begin(&directories, store, scope, root, error);

	while (status == 0 && (status = known_directories_next(&directories, &known, error)) == 1)
		status = directory_list_add(list, known.hash, error);
	known_directories_end(&directories);
	return status;
}

/* Add the directory of a file's members, see is_inside_directory. */
static int add_inside(struct directory_list *list, const char *path, struct simhash_error *error)
{
	size_t size = strlen(path);
	char *inside = malloc(size + 2);
	uint8_t hash[DIRECTORY_HASH_SIZE];
	int status;

	if (inside == NULL)
		return error_set_memory(error);
	memcpy(inside, path, size);
	memcpy(inside + size, "/", 2);
	directory_hash(bytes_of(inside), hash);
	status = directory_list_add(list, hash, error);
	free(inside);
	return status;
}

/* Remove the rows of the file with this path: its own row, and the row of its inflated content. */
static int remove_file(struct store *store, const struct row_scope *scope, const char *path,
		       int64_t *removed, struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	uint8_t directory[DIRECTORY_HASH_SIZE], hashes[2][PATH_HASH_SIZE];
	char *inflated = malloc(2 * name.size + 8);
	struct bytes inner = {inflated, 0};
	void *first = hashes;
	struct store_batch batch = {.removed_files = first, .removed_file_count = 1};
	int64_t count = 0;
	int status;

	if (inflated == NULL)
		return error_set_memory(error);
	directory_hash(path_directory(path), directory);
	path_hash(directory, name, hashes[0]);
	inner.size = inflated_name(name, inflated);
	if (inner.size > 0)
		path_hash(directory, inner, hashes[batch.removed_file_count++]);
	status = store_write(store, scope, &batch, &count, error);
	*removed += count;
	free(inflated);
	return status;
}

static int forget_in(struct store *store, const struct row_scope *scope, const char *path,
		     int64_t *removed, struct simhash_error *error)
{
	struct bytes bytes = bytes_of(path);
	struct directory_list list = {.hashes = NULL};
	uint8_t own[DIRECTORY_HASH_SIZE];
	int status;

	directory_hash(bytes, own);
	status = directory_list_add(&list, own, error);
	if (status == 0 && bytes.size > 1)
		status = add_inside(&list, path, error);
	if (status == 0)
		status = keep_directories_below(&list, store, scope, bytes, error);
	if (status == 0)
		status = directory_list_remove(&list, store, scope, removed, error);
	if (status == 0 && bytes.size > 1)
		status = remove_file(store, scope, path, removed, error);
	free(list.hashes);
	return status;
}

int forget_path(struct store *store, int64_t tag_set, int64_t host, const char *path,
		int64_t *removed, struct simhash_error *error)
{
	struct name_list sets;
	int status = 0;

	*removed = 0;
	if (tag_set != 0)
		return forget_in(store, &(struct row_scope){tag_set, host}, path, removed, error);
	if (store_read_tag_sets(store, &sets, error) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < sets.count; i++)
		status = forget_in(store, &(struct row_scope){sets.names[i].id, host}, path,
				   removed, error);
	name_list_release(&sets);
	return status;
}
