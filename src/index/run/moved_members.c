/*
 * Copies the rows of an archive's members to its new path. It lists the members by their hashes
 * first and reads the rows afterwards: on a server, rows that are being read occupy the connection,
 * so it cannot do both at once.
 * SPDX-License-Identifier: MIT
 */
#include "index/run/moved_members.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "store/open/connection.h"
#include "store/rows/known_file.h"
#include "store/rows/row_reader.h"

struct hash_list {
	uint8_t (*hashes)[PATH_HASH_SIZE];
	size_t count, capacity;
};

static int list_members(struct hash_list *list, struct store *store, const struct row_scope *scope,
			const uint8_t from[DIRECTORY_HASH_SIZE], struct simhash_error *error)
{
	struct known_files files;
	struct known_file known;
	int status = known_files_begin(&files, store, scope, from, error);

	while (status == 0 && (status = known_files_next(&files, &known, error)) == 1) {
		status = array_reserve(&list->hashes, &list->capacity, list->count + 1,
				       sizeof *list->hashes, error);
		if (status == 0)
			memcpy(list->hashes[list->count++], known.path_hash, PATH_HASH_SIZE);
	}
	known_files_end(&files);
	return status;
}

static int feed_member(struct feed *feed, struct directory *inside, const struct file_row *row,
		       struct simhash_error *error)
{
	struct found_file found = {.name_size = row->name.size,
				   .size_bytes = row->size_bytes,
				   .mtime_ns = row->mtime_ns,
				   .links = 1,
				   .is_inflated = true};
	char *name = strndup(row->name.data, row->name.size);
	int status;

	if (name == NULL)
		return error_set_memory(error);
	found.name = name;
	path_hash(inside->hash, row->name, found.path_hash);
	status = feed_move(feed, inside, &found, row, NULL, error);
	free(name);
	return status;
}

/* Feed the rows of some hashes that have not been fed yet. */
static int feed_some(struct feed *feed, struct store *store, const struct row_scope *scope,
		     const uint8_t (*hashes)[PATH_HASH_SIZE], size_t count, bool *are_fed,
		     struct directory *inside, struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor = {.columns = 0};
	int status = store_rows_with(&cursor, store, ROW_WHOLE, scope, hashes, count, error);

	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		status = 0;
		for (size_t i = 0; status == 0 && i < count; i++) {
			if (are_fed[i] || memcmp(hashes[i], row.path_hash, PATH_HASH_SIZE) != 0)
				continue;
			status = feed_member(feed, inside, &row, error);
			are_fed[i] = true;
		}
	}
	store_rows_end(&cursor);
	return status;
}

static int feed_members(const struct moved_archive *archive, struct feed *feed, struct store *store,
			const struct row_scope *scope, uint64_t *count, struct simhash_error *error)
{
	struct hash_list list = {.hashes = NULL};
	int status = list_members(&list, store, scope, archive->from, error);

	for (size_t i = 0; status == 0 && i < list.count; i += ROWS_WITH_MAX) {
		const uint8_t(*hashes)[PATH_HASH_SIZE] = (void *)(list.hashes + i);
		size_t some = list.count - i < ROWS_WITH_MAX ? list.count - i : ROWS_WITH_MAX;
		bool are_fed[ROWS_WITH_MAX] = {false};
		while (status == 0 && feed_some(feed, store, scope, hashes, some, are_fed,
						archive->inside, error) != 0)
			status = store_recover(store, error);
		*count += some;
	}
	free(list.hashes);
	return status;
}

int moved_archives_note(struct moved_archives *archives, const struct file_row *row,
			const struct directory *directory, struct bytes name,
			struct simhash_error *error)
{
	struct moved_archive *archive;
	char *path;
	size_t size;

	if ((row->contents & CONTENTS_HAS_MEMBERS) == 0)
		return 0;
	if (array_reserve(&archives->items, &archives->capacity, archives->count + 1,
			  sizeof *archives->items, error) != 0)
		return -1;
	archive = &archives->items[archives->count];
	archive->inside = directory_new_inside(directory, name);
	path = archive->inside == NULL ? NULL : path_join(row->directory, row->name);
	if (path == NULL) {
		directory_drop(archive->inside);
		return error_set_memory(error);
	}
	size = strlen(path);
	path[size] = '/';
	directory_hash((struct bytes){path, size + 1}, archive->from);
	free(path);
	archives->count++;
	return 0;
}

int moved_archives_feed(const struct moved_archives *archives, struct feed *feed,
			struct store *store, const struct row_scope *scope, uint64_t *count,
			struct simhash_error *error)
{
	for (size_t i = 0; i < archives->count; i++)
		if (feed_members(&archives->items[i], feed, store, scope, count, error) != 0)
			return -1;
	return 0;
}

void moved_archives_release(struct moved_archives *archives)
{
	for (size_t i = 0; i < archives->count; i++)
		directory_drop(archives->items[i].inside);
	free(archives->items);
}
