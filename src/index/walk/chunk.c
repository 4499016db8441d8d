/*
 * Collects the files of a directory and sorts them by path hash.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "base/files/open_file.h"

#define NAME_SIZE_MAX 1024 /* the endings of longer names are not examined */
#define INFLATED_NAME_MAX (2 * NAME_SIZE_MAX + 8)

void gathering_release(struct chunk_gathering *gathering)
{
	free(gathering->files);
	free(gathering->names);
}

static int add(struct chunk_gathering *gathering, const struct found_file *file, const char *name,
	       struct simhash_error *error)
{
	size_t size = file->name_size + 1;

	if (array_reserve(&gathering->names, &gathering->names_capacity,
			  gathering->names_size + size, 1, error) != 0 ||
	    array_reserve(&gathering->files, &gathering->capacity, gathering->count + 1,
			  sizeof *gathering->files, error) != 0)
		return -1;
	memcpy(gathering->names + gathering->names_size, name, size);
	gathering->names_size += size;
	gathering->files[gathering->count++] = *file;
	return 0;
}

int gathering_add(struct chunk_gathering *gathering, const char *name, const struct stat *status,
		  bool with_inflated, struct simhash_error *error)
{
	struct found_file file = {.name_size = strlen(name),
				  .size_bytes = status->st_size,
				  .mtime_ns = stat_mtime_ns(status),
				  .changed_ns = stat_ctime_ns(status),
				  .device = (uint64_t)status->st_dev,
				  .inode = (uint64_t)status->st_ino,
				  .links = (uint64_t)status->st_nlink,
				  .is_others = is_others_file(status)};
	char inflated[INFLATED_NAME_MAX];

	if (add(gathering, &file, name, error) != 0)
		return -1;
	if (!with_inflated || file.name_size > NAME_SIZE_MAX)
		return 0;
	file.name_size = inflated_name((struct bytes){name, file.name_size}, inflated);
	if (file.name_size == 0)
		return 0;
	file.is_inflated = true;
	return add(gathering, &file, inflated, error);
}

int64_t recorded_links(const struct found_file *file, bool follow)
{
	return follow ? 0 : (int64_t)file->links;
}

static int compare_files(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

void gathering_finish(struct chunk_gathering *gathering, struct directory *directory,
		      enum chunk_part part, struct chunk *chunk)
{
	/* The buffer of the names may have moved as it grew. */
	const char *name = gathering->names;

	for (size_t i = 0; i < gathering->count; i++) {
		struct found_file *file = &gathering->files[i];
		file->name = name;
		name += file->name_size + 1;
		path_hash(directory->hash, (struct bytes){file->name, file->name_size},
			  file->path_hash);
	}
	if (gathering->count > 1)
		qsort(gathering->files, gathering->count, sizeof *gathering->files, compare_files);
	*chunk = (struct chunk){directory, gathering->files, gathering->count, part};
	gathering->count = gathering->names_size = 0;
}
