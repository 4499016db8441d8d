/*
 * Forgetting: the rows of a file, or those of a directory and all below it.
 * SPDX-License-Identifier: MIT
 */
#include "index/forget.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define DIRECTORIES_AT_ONCE 1000

/* Directories to remove; the callbacks of a store must not use it. */
struct hash_list {
	void *hashes; /* DIRECTORY_HASH_SIZE bytes each */
	size_t count, room;
};

static int keep_hash(void *context, const uint8_t hash[DIRECTORY_HASH_SIZE], struct bytes path,
		     struct simhash_error *error)
{
	struct hash_list *list = context;

	(void)path;
	if (list->count == list->room) {
		size_t room = list->room == 0 ? 256 : 2 * list->room;
		void *grown = realloc(list->hashes, room * DIRECTORY_HASH_SIZE);
		if (grown == NULL)
			return error_set_memory(error);
		list->hashes = grown;
		list->room = room;
	}
	memcpy((char *)list->hashes + list->count++ * DIRECTORY_HASH_SIZE, hash,
	       DIRECTORY_HASH_SIZE);
	return 0;
}

static int remove_directories(struct store *store, const struct row_scope *scope,
			      const struct hash_list *list, int64_t *removed,
			      struct simhash_error *error)
{
	const uint8_t(*hashes)[DIRECTORY_HASH_SIZE] = list->hashes;

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

/* The rows of a file of this path: its own, and that of its inflated content. */
static int remove_file(struct store *store, const struct row_scope *scope, const char *path,
		       int64_t *removed, struct simhash_error *error)
{
	const char *slash = strrchr(path, '/');
	struct bytes name = {slash + 1, strlen(slash + 1)};
	struct bytes top = {path, slash == path ? 1 : (size_t)(slash - path)};
	uint8_t directory[DIRECTORY_HASH_SIZE], hashes[2][PATH_HASH_SIZE];
	char *inflated = malloc(2 * name.size + 8);
	struct bytes inner = {inflated, 0};
	void *first = hashes;
	struct store_batch batch = {.removed_files = first, .removed_file_count = 1};
	int64_t count = 0;
	int status;

	if (inflated == NULL)
		return error_set_memory(error);
	directory_hash(top, directory);
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
	struct bytes bytes = {path, strlen(path)};
	struct hash_list list = {.hashes = NULL};
	uint8_t own[DIRECTORY_HASH_SIZE];
	int status;

	directory_hash(bytes, own);
	status = keep_hash(&list, own, bytes, error);
	if (status == 0)
		status = store_read_directories_below(store, scope, bytes, keep_hash, &list, error);
	if (status == 0)
		status = remove_directories(store, scope, &list, removed, error);
	if (status == 0 && bytes.size > 1)
		status = remove_file(store, scope, path, removed, error);
	free(list.hashes);
	return status;
}

struct tag_sets {
	int64_t ids[1024];
	size_t count;
};

static int keep_tag_set(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct tag_sets *sets = context;

	(void)name;
	if (sets->count == sizeof sets->ids / sizeof *sets->ids)
		return error_set(error, SIMHASH_E_RANGE, "the index has more than %zu tag sets",
				 sets->count);
	sets->ids[sets->count++] = id;
	return 0;
}

int forget_path(struct store *store, int64_t tag_set, int64_t host, const char *path,
		int64_t *removed, struct simhash_error *error)
{
	struct tag_sets sets = {.ids = {tag_set}, .count = 1};

	*removed = 0;
	if (tag_set == 0)
		sets.count = 0;
	if (tag_set == 0 && store_read_tag_sets(store, keep_tag_set, &sets, error) != 0)
		return -1;
	for (size_t i = 0; i < sets.count; i++) {
		struct row_scope scope = {sets.ids[i], host};
		if (forget_in(store, &scope, path, removed, error) != 0)
			return -1;
	}
	return 0;
}
