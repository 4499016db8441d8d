/*
 * Stores lists of files and rows with their directories and names, within limits of memory.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/put_aside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/identity.h"

/* About 400,000 files and 100,000 rows; arrays that grow by doubling may take twice as much. */
#define WAITING_BYTES ((size_t)16 << 20)
#define LOST_BYTES ((size_t)8 << 20)

void put_aside_release(struct put_aside *aside)
{
	for (size_t i = 0; i < aside->directory_count; i++)
		directory_drop(aside->directories[i].directory);
	free(aside->directories);
	free(aside->waiting);
	free(aside->lost);
	free(aside->names);
	*aside = (struct put_aside){.bounds = aside->bounds};
}

uint64_t file_key(uint64_t inode, int64_t size_bytes, int64_t mtime_ns, bool is_inflated)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t key = inode * odd ^ (uint64_t)is_inflated;

	key = (key ^ key >> 32 ^ (uint64_t)size_bytes) * odd;
	key = (key ^ key >> 32 ^ (uint64_t)mtime_ns) * odd;
	return key ^ key >> 32;
}

/* Could a file have been scanned before, according to its times? */
static bool may_be_known(const struct put_aside *aside, const struct directory *directory,
			 const struct found_file *file)
{
	struct bytes name = {file->name, file->name_size};
	char *own = file->is_inflated ? strndup(file->name, own_name_size(name)) : NULL;
	struct file_identity identity;
	int status = file_identity_read(directory->fd, own == NULL ? file->name : own, &identity);

	free(own);
	return status == 0 && (identity.has_birth ? identity.born_ns : identity.changed_ns) <=
				      aside->bounds->last_scan_ns;
}

/* ---- Room ---- */

static bool is_listed(const struct put_aside *aside, const struct directory *directory)
{
	return aside->directory_count > 0 &&
	       aside->directories[aside->directory_count - 1].directory == directory;
}

/*
 * Reserve memory for an item, its name, and its directory if it is new. False if the limit is
 * reached.
 */
static bool take_room(const struct put_aside *aside, const struct directory *directory,
		      size_t item_size, size_t name_size, atomic_size_t *bytes, size_t max)
{
	size_t size = item_size + name_size + 1;

	if (!is_listed(aside, directory))
		size += sizeof *aside->directories + sizeof *directory + directory->path_size + 1;
	if (atomic_fetch_add(bytes, size) + size <= max && aside->names_size + size <= UINT32_MAX)
		return true;
	atomic_fetch_sub(bytes, size);
	return false;
}

/* Returns 1, 0 if the directory could not be recognized later, or -1. */
static int list_directory(struct put_aside *aside, struct directory *directory,
			  struct simhash_error *error)
{
	struct stat status;

	if (is_listed(aside, directory))
		return 1;
	if (array_reserve(&aside->directories, &aside->directory_capacity,
			  aside->directory_count + 1, sizeof *aside->directories, error) != 0)
		return -1;
	if (fstat(directory->fd, &status) != 0)
		return 0;
	atomic_fetch_add(&directory->references, 1);
	aside->directories[aside->directory_count++] = (struct aside_directory){
		directory, (uint64_t)status.st_dev, (uint64_t)status.st_ino};
	return 1;
}

/* Returns the same as list_directory. */
static int list_name(struct put_aside *aside, struct directory *directory, struct bytes name,
		     struct aside_name *at, struct simhash_error *error)
{
	int listed = list_directory(aside, directory, error);

	if (listed <= 0)
		return listed;
	if (array_reserve(&aside->names, &aside->names_capacity, aside->names_size + name.size + 1,
			  1, error) != 0)
		return -1;
	*at = (struct aside_name){(uint32_t)aside->directory_count - 1,
				  (uint32_t)aside->names_size};
	memcpy(aside->names + aside->names_size, name.data, name.size);
	aside->names[aside->names_size + name.size] = '\0';
	aside->names_size += name.size + 1;
	return 1;
}

/* ---- Putting aside ---- */

int put_aside_file(struct put_aside *aside, struct directory *directory,
		   const struct found_file *file, struct simhash_error *error)
{
	struct waiting_file waiting = {
		.key = file_key(file->inode, file->size_bytes, file->mtime_ns, file->is_inflated),
		.moves_only = file->moves_only};
	int listed;

	if (!may_be_known(aside, directory, file) ||
	    !take_room(aside, directory, sizeof waiting, file->name_size,
		       &aside->bounds->waiting_bytes, WAITING_BYTES))
		return 0;
	if (array_reserve(&aside->waiting, &aside->waiting_capacity, aside->waiting_count + 1,
			  sizeof *aside->waiting, error) != 0)
		return -1;
	listed = list_name(aside, directory, (struct bytes){file->name, file->name_size},
			   &waiting.at, error);
	if (listed == 1)
		aside->waiting[aside->waiting_count++] = waiting;
	return listed;
}

int put_aside_row(struct put_aside *aside, struct directory *directory,
		  const struct known_file *known, struct bytes name, bool is_replaced,
		  struct simhash_error *error)
{
	bool is_inflated = known->compressed_size_bytes > 0;
	int64_t size_bytes = is_inflated ? known->compressed_size_bytes : known->size_bytes;
	struct lost_row lost = {
		.key = file_key((uint64_t)known->inode, size_bytes, known->mtime_ns, is_inflated),
		.is_replaced = is_replaced};
	int listed;

	if (!take_room(aside, directory, sizeof lost, name.size, &aside->bounds->lost_bytes,
		       LOST_BYTES))
		return 0;
	memcpy(lost.path_hash, known->path_hash, PATH_HASH_SIZE);
	if (array_reserve(&aside->lost, &aside->lost_capacity, aside->lost_count + 1,
			  sizeof *aside->lost, error) != 0)
		return -1;
	listed = list_name(aside, directory, name, &lost.at, error);
	if (listed == 1)
		aside->lost[aside->lost_count++] = lost;
	return listed;
}

int put_aside_linked(struct put_aside *aside, const struct found_file *file,
		     struct simhash_error *error)
{
	struct lost_row linked = {
		.key = file_key(file->inode, file->size_bytes, file->mtime_ns, file->is_inflated),
		.is_linked = true};

	if (atomic_fetch_add(&aside->bounds->lost_bytes, sizeof linked) + sizeof linked >
	    LOST_BYTES) {
		atomic_fetch_sub(&aside->bounds->lost_bytes, sizeof linked);
		return 0;
	}
	memcpy(linked.path_hash, file->path_hash, PATH_HASH_SIZE);
	if (array_reserve(&aside->lost, &aside->lost_capacity, aside->lost_count + 1,
			  sizeof *aside->lost, error) != 0)
		return -1;
	aside->lost[aside->lost_count++] = linked;
	return 1;
}
