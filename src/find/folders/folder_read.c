/*
 * Reads the rows of files, and makes folders from their directories.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_read.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "find/folders/folder_contents.h"
#include "find/rule/finder.h"

/* ---- Rows ---- */

struct row_directory {
	int64_t host;
	struct bytes path;
	size_t archive_size;
	int64_t archive_bytes;
	uint64_t files;	 /* directly in it */
	uint64_t inside; /* the number of files in the complete archive */
	uint32_t folder; /* set when the folders are made */
};

struct folder_reading {
	struct folder_tree *tree;
	struct row_directory *directories;
	size_t count, capacity;
	struct slots slots; /* directories by host and path */
	uint32_t last;	    /* rows of one directory often follow each other */
	struct held_file *files;
	size_t file_count, file_capacity;
};

static uint64_t directory_key(int64_t host, struct bytes path)
{
	return XXH3_64bits_withSeed(path.data, path.size, hash_seeded((uint64_t)host, 0));
}

static bool is_directory(const struct row_directory *directory, const struct folder_row *row)
{
	return directory->host == row->host && directory->path.size == row->directory.size &&
	       memcmp(directory->path.data, row->directory.data, row->directory.size) == 0;
}

/* The directory that is searched for. */
struct directory_key {
	const struct folder_reading *reading;
	const struct folder_row *row;
};

static bool is_wanted_directory(const void *key, uint32_t number)
{
	const struct directory_key *wanted = key;

	return is_directory(&wanted->reading->directories[number - 1], wanted->row);
}

static int add_directory(struct folder_reading *reading, const struct folder_row *row,
			 struct simhash_error *error)
{
	char *path = arena_take(&reading->tree->paths, row->directory.size + 1);

	if (path == NULL)
		return error_set_memory(error);
	if (array_reserve(&reading->directories, &reading->capacity, reading->count + 1,
			  sizeof *reading->directories, error) != 0)
		return -1;
	memcpy(path, row->directory.data, row->directory.size);
	reading->directories[reading->count++] =
		(struct row_directory){.host = row->host,
				       .path = {path, row->directory.size},
				       .archive_size = row->archive_size,
				       .archive_bytes = row->archive_bytes};
	return 0;
}

static struct slot *slot_of(struct folder_reading *reading, const struct folder_row *row)
{
	return slots_find(&reading->slots, directory_key(row->host, row->directory),
			  is_wanted_directory, &(struct directory_key){reading, row});
}

static int find_directory(struct folder_reading *reading, const struct folder_row *row,
			  uint32_t *number, struct simhash_error *error)
{
	struct slot *slot;

	if (reading->count > 0 && is_directory(&reading->directories[reading->last], row)) {
		*number = reading->last;
		return 0;
	}
	if (slots_reserve(&reading->slots, error) != 0)
		return -1;
	slot = slot_of(reading, row);
	if (slot->number == NO_ITEM) {
		if (add_directory(reading, row, error) != 0)
			return -1;
		slots_add(&reading->slots, slot, directory_key(row->host, row->directory),
			  (uint32_t)reading->count);
	}
	*number = reading->last = slot->number - 1;
	return 0;
}

/*
 * The number of hard links does not show how many names a file has, because its file system may be
 * mounted more than once.
 */
static int note_name(struct folder_reading *reading, const struct folder_row *row,
		     struct simhash_error *error)
{
	struct folder_tree *tree = reading->tree;
	const struct held_file *file = &reading->files[reading->file_count - 1];

	if (row->inode == 0 || row->archive_size > 0)
		return 0;
	if (array_reserve(&tree->links, &tree->link_capacity, tree->link_count + 1,
			  sizeof *tree->links, error) != 0)
		return -1;
	tree->links[tree->link_count++] = (struct linked_name){
		.identity = hash_seeded(hash_seeded((uint64_t)row->inode, (uint64_t)row->device),
					hash_seeded((uint64_t)row->mtime_ns, (uint64_t)row->host)),
		.folder = file->folder,
		.content = file->content,
		.hard_links = row->links > UINT32_MAX ? UINT32_MAX : (uint32_t)row->links};
	return 0;
}

/* Count a member in its archive, which is a directory that may directly contain no file. */
static int count_member(struct folder_reading *reading, const struct folder_row *row,
			struct simhash_error *error)
{
	struct folder_row archive = *row;
	uint32_t number;

	archive.directory.size = row->archive_size;
	if (find_directory(reading, &archive, &number, error) != 0)
		return -1;
	reading->directories[number].inside++;
	return 0;
}

static int take_row(struct folder_reading *reading, const struct folder_row *row,
		    struct simhash_error *error)
{
	struct held_file file;

	if (reading->file_count == UINT32_MAX - 1)
		return error_set(error, SIMHASH_E_RANGE, "--directories: too many files");
	if (find_directory(reading, row, &file.folder, error) != 0 ||
	    content_number(reading->tree, row->size_bytes, row->content_hash, &file.content,
			   error) != 0 ||
	    array_reserve(&reading->files, &reading->file_capacity, reading->file_count + 1,
			  sizeof *reading->files, error) != 0)
		return -1;
	reading->files[reading->file_count++] = file;
	reading->directories[file.folder].files++;
	return note_name(reading, row, error);
}

static bool is_wanted(const struct finder *finder, const struct find_side *sides, size_t side_count,
		      const struct folder_row *row)
{
	for (size_t i = 0; i < side_count; i++)
		if (side_holds(finder, &sides[i], row))
			return true;
	return side_count == 0;
}

/*
 * Is a member counted? The number of all members shows whether its file is an archive, even if a
 * side has only some of them.
 */
static bool is_counted(const struct finder *finder, const struct find_side *sides,
		       size_t side_count, const struct folder_row *row)
{
	const struct bytes archive = {row->directory.data,
				      row->archive_size == 0 ? 0 : row->archive_size - 1};

	for (size_t i = 0; archive.size > 0 && i < side_count; i++)
		if (path_is_at_or_below(sides[i].directory, archive))
			return true;
	return archive.size > 0 && is_wanted(finder, sides, side_count, row);
}

static int read_rows(struct folder_reading *reading, const struct finder *finder,
		     const struct find_side *sides, size_t side_count, struct simhash_error *error)
{
	struct folder_cursor *cursor;
	struct folder_row row;
	int status;

	if (store_folder_rows(finder->store, finder->tag_set, 0, &cursor, error) != 0)
		return -1;
	while ((status = finder_next_folder_row(finder, cursor, &row, error)) == 1)
		if ((is_counted(finder, sides, side_count, &row) &&
		     count_member(reading, &row, error) != 0) ||
		    (is_wanted(finder, sides, side_count, &row) &&
		     take_row(reading, &row, error) != 0)) {
			status = -1;
			break;
		}
	folder_rows_end(cursor);
	return status;
}

/* A compressed file with a single member is not an archive, so that member is in no folder. */
static void drop_lone_members(struct folder_reading *reading)
{
	size_t kept = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		struct row_directory *directory = &reading->directories[reading->files[i].folder];
		if (directory->archive_size > 0) {
			const struct folder_row archive = {
				.host = directory->host,
				.directory = {directory->path.data, directory->archive_size}};
			uint32_t number = slot_of(reading, &archive)->number;
			if (reading->directories[number - 1].inside == 1) {
				directory->files--;
				continue;
			}
		}
		reading->files[kept++] = reading->files[i];
	}
	reading->file_count = kept;
}

/* ---- Folders ---- */

/* The directory that contains two directories of one host; it may be one of them. */
static struct bytes common_directory(struct bytes x, struct bytes y)
{
	size_t size = 0, least = x.size < y.size ? x.size : y.size;

	while (size < least && x.data[size] == y.data[size])
		size++;
	if ((size == x.size && (size == y.size || y.data[size] == '/')) ||
	    (size == y.size && x.data[size] == '/'))
		return (struct bytes){x.data, size};
	while (size > 0 && x.data[--size] != '/')
		;
	return (struct bytes){x.data, size};
}

/*
 * Make folders from the directories of files, and from directories that have files in several
 * subdirectories.
 */
static int make_folders(struct folder_reading *reading, struct simhash_error *error)
{
	struct folder_tree *tree = reading->tree;
	size_t count = 0, kept = 0;

	if (array_reserve(&tree->folders, &tree->capacity, 2 * reading->count + 1,
			  sizeof *tree->folders, error) != 0)
		return -1;
	for (size_t i = 0; i < reading->count; i++) {
		const struct row_directory *directory = &reading->directories[i];
		if (directory->files > 0)
			tree->folders[count++] =
				(struct folder){.host = directory->host,
						.path = directory->path,
						.archive_size = (uint32_t)directory->archive_size,
						.archive_bytes = directory->archive_bytes};
	}
	qsort(tree->folders, count, sizeof *tree->folders, folder_compare);
	tree->count = count;
	for (size_t i = 1; i < count; i++) {
		const struct folder *x = &tree->folders[i - 1], *y = &tree->folders[i];
		if (folder_compare_archives(x, y) != 0)
			continue;
		tree->folders[tree->count] = *x;
		tree->folders[tree->count++].path = common_directory(x->path, y->path);
	}
	qsort(tree->folders, tree->count, sizeof *tree->folders, folder_compare);
	for (size_t i = 0; i < tree->count; i++)
		if (kept == 0 || folder_compare(&tree->folders[kept - 1], &tree->folders[i]) != 0)
			tree->folders[kept++] = tree->folders[i];
	tree->count = kept;
	return 0;
}

/* Find the parent of each folder: the last open folder that contains it. */
static void find_parents(struct folder_tree *tree)
{
	uint32_t open = NO_FOLDER;

	for (uint32_t i = 0; i < tree->count; i++) {
		struct folder *folder = &tree->folders[i];
		while (open != NO_FOLDER &&
		       (folder_compare_archives(&tree->folders[open], folder) != 0 ||
			!path_is_at_or_below(folder->path, tree->folders[open].path))) {
			tree->folders[open].end = i;
			open = tree->folders[open].parent;
		}
		folder->parent = open;
		open = i;
	}
	for (; open != NO_FOLDER; open = tree->folders[open].parent)
		tree->folders[open].end = (uint32_t)tree->count;
}

static void place_files(struct folder_reading *reading)
{
	struct folder_tree *tree = reading->tree;

	for (size_t i = 0; i < reading->count; i++) {
		struct row_directory *directory = &reading->directories[i];
		directory->folder = folder_tree_find(tree, directory->host, directory->path,
						     directory->archive_size);
	}
	for (size_t i = 0; i < reading->file_count; i++)
		reading->files[i].folder = reading->directories[reading->files[i].folder].folder;
	for (size_t i = 0; i < tree->link_count; i++)
		tree->links[i].folder = reading->directories[tree->links[i].folder].folder;
}

int folder_tree_read(struct folder_tree *tree, const struct finder *finder,
		     const struct find_side *sides, size_t side_count, struct simhash_error *error)
{
	struct folder_reading reading = {.tree = tree};
	int status;

	*tree = (struct folder_tree){.count = 0};
	status = read_rows(&reading, finder, sides, side_count, error);
	if (status == 0) {
		drop_lone_members(&reading);
		status = make_folders(&reading, error);
	}
	slots_release(&reading.slots);
	if (status == 0) {
		find_parents(tree);
		place_files(&reading);
	}
	free(reading.directories);
	if (status == 0)
		status = hold_files(tree, reading.files, reading.file_count, error);
	free(reading.files);
	if (status == 0)
		count_names(tree);
	return status;
}
