/*
 * Walks through the sources of a plan without following links.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/entry_reader.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/tree_reader.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simkeep"
#define DIRECTORIES_SHOWN 20

struct walk {
	const struct tree_request *request;
	const struct changes *changes;
	uint64_t files; /* unknown files in the current directory */
	char *first;	/* the path of one of them */
	uint64_t left, told,
		shown; /* in all directories: the numbers of files, reported files and messages */
	struct simhash_error *error;
};

/* The destination is not a source, and each source is read once. */
static bool is_other_tree(const struct walk *walk, const char *path)
{
	struct bytes name = bytes_of(path);

	if (bytes_compare(name, walk->request->destination) == 0)
		return true;
	for (size_t i = 0; i < walk->request->source_count; i++)
		if (bytes_compare(name, walk->request->sources[i]) == 0)
			return true;
	return false;
}

static bool is_directory(const char *path, enum entry_type type)
{
	struct stat status;

	if (type != ENTRY_TYPE_UNKNOWN)
		return type == ENTRY_TYPE_DIRECTORY;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int take_entry(void *context, const char *directory, int fd, const struct entry *entry)
{
	struct walk *walk = context;
	char *path = path_join(bytes_of(directory), bytes_of(entry->name));
	int enters = 0;

	(void)fd;
	if (path == NULL)
		return error_set_memory(walk->error);
	if (is_directory(path, entry->type))
		enters = !is_other_tree(walk, path);
	else if (!changes_has(walk->changes, path)) {
		walk->files++;
		if (walk->first == NULL) {
			walk->first = path;
			return 0;
		}
	}
	free(path);
	return enters;
}

static void say_unknown(struct walk *walk)
{
	char text[160], count[32];

	walk->left += walk->files;
	if (walk->files > 0 && walk->shown < DIRECTORIES_SHOWN) {
		if (walk->files == 1)
			snprintf(text, sizeof text, "left alone: the index does not have it");
		else
			snprintf(text, sizeof text,
				 "left alone, with %s other file%s in the same directory: the "
				 "index does not have them",
				 format_count(walk->files - 1, count), walk->files == 2 ? "" : "s");
		say_path(PROGRAM, bytes_of(walk->first), text);
		walk->shown++;
		walk->told += walk->files;
	}
	free(walk->first);
	walk->first = NULL;
	walk->files = 0;
}

/* Directories that became empty were removed. */
static int end_directory(void *context, const char *directory, int system_errno)
{
	struct walk *walk = context;

	if (system_errno != 0 && system_errno != ENOENT) {
		walk->left++;
		walk->told++;
		say_path(PROGRAM, bytes_of(directory), explain_errno(system_errno));
	}
	say_unknown(walk);
	return 0;
}

bool directory_has_entries(const char *path)
{
	struct entry_reader reader = {0};
	struct entry entry;
	int directory = open_path(path, O_RDONLY | O_DIRECTORY);
	bool has_entries = false;

	if (directory < 0)
		return false;
	if (entry_reader_begin(&reader, directory) == 0)
		has_entries = entry_reader_next(&reader, &entry) == 1;
	entry_reader_end(&reader);
	entry_reader_release(&reader);
	close(directory);
	return has_entries;
}

int unindexed_report(const struct tree_request *request, const struct changes *changes,
		     uint64_t *left, struct simhash_error *error)
{
	struct walk walk = {.request = request, .changes = changes, .error = error};
	const struct tree_reader reader = {
		.context = &walk, .entry = take_entry, .end = end_directory};
	char text[120], count[32];
	int status = 0;

	for (size_t i = 0; status == 0 && i < request->source_count; i++)
		if (bytes_compare(request->sources[i], request->destination) != 0)
			status = tree_read(&reader, request->sources[i], error);
	free(walk.first);
	if (walk.left > walk.told) {
		snprintf(text, sizeof text,
			 "left %s more files alone: the index does not have them",
			 format_count(walk.left - walk.told, count));
		say(PROGRAM, text);
	}
	*left += walk.left;
	return status;
}
