/*
 * Walks the directories in question, and compares their files with the rows.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "index/walk/walk.h"
#include "presence/presence_files.h"

struct top_walk {
	struct held_files *held;
	const struct find_side *top;
	struct simhash_error *error; /* of the functions that report failures */
	int status;
	uint32_t folder; /* the number of the last directory; 0: none */
};

/* Count a file of a folder in all tops that contain it, because one walk may be for several. */
static void count_in_tops(struct held_files *held, uint32_t folder)
{
	const struct presence_request *wanted = held->wanted;

	for (size_t i = 0; i < wanted->top_count; i++)
		held->tops[i].files += path_is_at_or_below(held->folders[folder - 1].path,
							   wanted->tops[i].directory);
}

/* ---- Failures ---- */

static void add_failure(struct top_walk *walk, struct bytes path, int system_errno,
			const char *text)
{
	struct held_files *held = walk->held;
	struct bytes above = {path.data, path.size};
	struct held_file *file = NULL;
	uint32_t folder;
	size_t at = path.size;

	if (walk->status != 0)
		return;
	while (at > 0 && path.data[at - 1] != '/')
		at--;
	above.size = at > 0 ? at - 1 : 0;
	if (above.size < walk->top->directory.size)
		above = walk->top->directory, at = path.size;
	folder = held_folder_add(held, held->finder->local_host, above, walk->top->directory,
				 walk->error);
	if (folder != 0)
		file = held_file_add(held, folder, bytes_after(path, at), 0, walk->error);
	if (file == NULL) {
		walk->status = -1;
		return;
	}
	file->state = CONTENT_UNREADABLE;
	count_in_tops(held, folder);
	file->is_met = true;
	file->why = text != NULL ? text : strerror(system_errno);
}

static void take_failure(void *context, struct bytes path, int system_errno)
{
	add_failure(context, path, system_errno, NULL);
}

static void take_text(void *context, struct bytes path, const char *text)
{
	add_failure(context, path, 0, text);
}

/* ---- Files ---- */

static int enter_directory(struct top_walk *walk, const struct directory *directory)
{
	struct held_files *held = walk->held;
	struct bytes path = directory_path(directory);
	struct stat status;

	if (path.size == 1)
		path.size = 0;
	if (walk->folder != 0 && bytes_compare(held->folders[walk->folder - 1].path, path) == 0)
		return 0;
	walk->folder = held_folder_add(held, held->finder->local_host, path, walk->top->directory,
				       walk->error);
	if (walk->folder == 0)
		return -1;
	if (fstat(directory->fd, &status) == 0 &&
	    pair_set_add(&held->walked,
			 (struct pair){(uint64_t)status.st_dev, (uint64_t)status.st_ino}) < 0)
		return error_set_memory(walk->error);
	return 0;
}

static bool is_as_indexed(const struct held_file *file, const struct found_file *now)
{
	return file->size_bytes == now->size_bytes && file->mtime_ns == now->mtime_ns &&
	       (file->inode == 0 || file->inode == now->inode);
}

/* simhash has not read the file if this user cannot read it. */
static void explain_unreadable(int directory, const char *name, struct held_file *file)
{
	if (faccessat(directory, name, R_OK, AT_EACCESS) == 0 || errno == ENOENT)
		return;
	file->state = CONTENT_UNREADABLE;
	file->why = strerror(errno);
}

static int take_file(struct top_walk *walk, const struct directory *directory,
		     const struct found_file *now)
{
	struct held_files *held = walk->held;
	const struct find_request *request = held->finder->request;
	struct bytes name = {now->name, now->name_size};
	struct held_file *file = held_file_find(held, held->finder->local_host, now->path_hash);
	bool has_row = file != NULL;

	if (now->size_bytes == 0) {
		held->found->empty++;
		return 0;
	}
	count_in_tops(held, walk->folder);
	if (request->takes != NULL &&
	    !request->takes(request->takes_context, held->folders[walk->folder - 1].path, name,
			    now->size_bytes)) {
		held->found->left_out++;
		return 0;
	}
	if (!has_row || !is_as_indexed(file, now)) {
		file = held_file_add(held, walk->folder, name, 0, walk->error);
		if (file == NULL)
			return -1;
		file->state = has_row ? CONTENT_CHANGED : CONTENT_NOT_INDEXED;
		if (!has_row)
			explain_unreadable(directory->fd, now->name, file);
	} else if (file->is_left_out) {
		held->found->left_out++;
		return 0;
	}
	file->is_met = true;
	file->size_bytes = now->size_bytes;
	file->mtime_ns = now->mtime_ns;
	file->changed_ns = now->changed_ns;
	file->device = now->device;
	file->inode = now->inode;
	return 0;
}

static int take_chunk(struct top_walk *walk, const struct chunk *chunk)
{
	if (enter_directory(walk, chunk->directory) != 0)
		return -1;
	for (size_t i = 0; i < chunk->count; i++)
		if (take_file(walk, chunk->directory, &chunk->files[i]) != 0)
			return -1;
	return 0;
}

static int walk_files(struct top_walk *walk, const struct root *root,
		      const struct walk_options *options, struct simhash_error *error)
{
	struct walk *tree = walk_new(root, options, error);
	struct walker *walker = tree == NULL ? NULL : walker_new(tree, error);
	struct chunk chunk;
	int status = walker == NULL ? -1 : WALK_FILES;

	while (status > 0 && (status = walk_next(walker, &chunk, error)) > 0)
		if (status == WALK_FILES && take_chunk(walk, &chunk) != 0)
			status = -1;
	walker_free(walker);
	walk_free(tree);
	return status != 0 || walk->status != 0 ? -1 : 0;
}

static int walk_top(struct held_files *held, const struct find_side *top,
		    struct simhash_error *error)
{
	static const atomic_bool never;
	char *path = top->directory.size == 0 ? (char[]){"/"}
					      : (char *)(uintptr_t)top->directory.data;
	const struct root root = {.path = path, .is_directory = true};
	struct exclusions none;
	struct failures failures;
	struct top_walk walk = {.held = held, .top = top, .error = error};
	const struct walk_options options = {.exclusions = &none,
					     .stop = &never,
					     .failures = &failures,
					     .reports_vanished = true};
	int status;

	if (failures_init(&failures, 1, take_failure, &walk, error) != 0)
		return -1;
	failures.report_text = take_text;
	exclusions_init(&none);
	status = walk_files(&walk, &root, &options, error);
	exclusions_release(&none);
	failures_release(&failures);
	return status;
}

/* Is a top in another one, or the same as an earlier one? */
static bool is_walked_with(const struct held_files *held, size_t number)
{
	const struct find_side *tops = held->wanted->tops;

	for (size_t i = 0; i < held->wanted->top_count; i++)
		if (i != number && held->tops[i].walks &&
		    path_is_at_or_below(tops[number].directory, tops[i].directory) &&
		    (i < number || tops[i].directory.size < tops[number].directory.size))
			return true;
	return false;
}

int held_walk(struct held_files *held, struct simhash_error *error)
{
	const struct presence_request *wanted = held->wanted;

	for (size_t i = 0; i < wanted->top_count; i++)
		if (held_walks(held, &wanted->tops[i]) && !is_walked_with(held, i) &&
		    walk_top(held, &wanted->tops[i], error) != 0)
			return -1;
	return 0;
}
