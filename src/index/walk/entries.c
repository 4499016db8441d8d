/*
 * Reads the entries of a directory: determines their kinds, applies the exclusions and the ignore
 * files, and collects the wanted files in chunks.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"

void entries_release(struct entries *entries)
{
	entry_reader_release(&entries->reader);
	gathering_release(&entries->gathering);
	free(entries->path);
}

/* Report an entry of the directory, or the directory itself for "". */
static void report(const struct entries *entries, const char *name, int system_errno)
{
	const struct directory *directory = entries->directory;

	if (entries->options->failures != NULL)
		failures_add_unread(entries->options->failures, directory->root,
				    directory_path(directory), name, system_errno);
}

/*
 * Read the directory's ignore files. Until then, the directory uses the ignore files of its parent.
 */
static int read_ignores(struct entries *entries, struct simhash_error *error)
{
	struct directory *directory = entries->directory;
	const char *path = directory_relative_path(directory);
	bool is_top = path[0] == '\0';
	struct ignores *above = directory->ignores, *own;
	struct unreadable_ignores unreadable;

	if (!entries->options->exclusions->ignore_files)
		return 0;
	if (is_top && ignores_read_above(directory->path, &above, error) != 0)
		return -1;
	if (ignores_read(directory->fd, above, path, &own, &unreadable, error) != 0) {
		if (is_top)
			ignores_drop(above);
		return -1;
	}
	ignores_drop(above);
	directory->ignores = own;
	if (unreadable.name != NULL)
		report(entries, unreadable.name, unreadable.system_errno);
	return 0;
}

int entries_open(struct entries *entries, struct directory *directory, const char *only,
		 struct simhash_error *error)
{
	entries->directory = directory;
	entries->only = only;
	entries->has_parts = entries->has_failed = entries->is_over = false;
	entries->gathering.count = entries->gathering.names_size = 0;
	if (only != NULL)
		return 0;
	if (read_ignores(entries, error) != 0)
		return -1;
	if (entry_reader_begin(&entries->reader, directory->fd) != 0) {
		report(entries, "", errno);
		entries->is_over = true;
	}
	return 0;
}

void entries_close(struct entries *entries)
{
	entry_reader_end(&entries->reader);
}

enum entry_kind { ENTRY_OTHER, ENTRY_FILE, ENTRY_DIRECTORY, ENTRY_FAILED };

/* Is an unwanted file system mounted here? Works even if that file system does not answer. */
static bool is_mount_left_out(const struct entries *entries, const char *name)
{
	int fd = entries->directory->fd;
	struct entry_device device;
	struct stat own;

	return entries->options->one_file_system &&
	       entry_device_read(fd, name, false, &device) == 0 && device.is_mount &&
	       fstat(fd, &own) == 0 && device.number != (uint64_t)own.st_dev;
}

/* Determine the kind of an entry whose status could not be read. */
static enum entry_kind kind_without_status(const struct entries *entries, const char *name)
{
	int saved = errno;

	/* The entry was removed, or is a link to nothing: not a file. */
	if (((saved == ENOENT || saved == ENOTDIR) && !entries->options->reports_vanished) ||
	    is_mount_left_out(entries, name))
		return ENTRY_OTHER;
	errno = saved;
	return ENTRY_FAILED;
}

/* Determine the kind of an entry. *status is set for files. */
static enum entry_kind kind_of(const struct entries *entries, const struct entry *entry,
			       struct stat *status)
{
	bool follow = entries->options->follow;

	if (entry->type == ENTRY_TYPE_DIRECTORY)
		return ENTRY_DIRECTORY;
	if (entry->type == ENTRY_TYPE_OTHER || (entry->type == ENTRY_TYPE_LINK && !follow))
		return ENTRY_OTHER;
	if (fstatat(entries->directory->fd, entry->name, status,
		    follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		return kind_without_status(entries, entry->name);
	if (S_ISDIR(status->st_mode))
		return ENTRY_DIRECTORY;
	return S_ISREG(status->st_mode) ? ENTRY_FILE : ENTRY_OTHER;
}

/* Do the exclusions exclude this name? -1 if memory is short. */
static int is_left_out(struct entries *entries, const char *name, bool is_directory,
		       struct simhash_error *error)
{
	const struct directory *directory = entries->directory;
	const char *above = directory_relative_path(directory);
	size_t above_size = strlen(above), name_size = strlen(name);

	if (array_reserve(&entries->path, &entries->path_capacity, above_size + name_size + 2, 1,
			  error) != 0)
		return -1;
	memcpy(entries->path, above, above_size);
	if (above_size > 0)
		entries->path[above_size++] = '/';
	memcpy(entries->path + above_size, name, name_size + 1);
	return exclusions_leave_out(entries->options->exclusions, directory->ignores, entries->path,
				    entries->path + above_size, is_directory);
}

/* Handle one entry. Returns ENTRIES_DIRECTORY for a directory to visit, else 0 or -1. */
static int take_entry(struct entries *entries, const struct entry *entry,
		      struct simhash_error *error)
{
	const struct walk_options *options = entries->options;
	const char *name = entry->name;
	struct stat status;
	enum entry_kind kind = kind_of(entries, entry, &status);
	int out;

	if (kind == ENTRY_FAILED) {
		/* A loop of links is not a file; other unreadable entries may be files. */
		entries->has_failed = entries->has_failed || errno != ELOOP;
		report(entries, name, errno);
	}
	if (kind != ENTRY_DIRECTORY && kind != ENTRY_FILE)
		return 0;
	out = is_left_out(entries, name, kind == ENTRY_DIRECTORY, error);
	if (out != 0)
		return out < 0 ? -1 : 0;
	if (kind == ENTRY_DIRECTORY) {
		entries->name = name;
		return ENTRIES_DIRECTORY;
	}
	if (exclusions_leave_out_size(options->exclusions, status.st_size))
		return 0;
	return gathering_add(&entries->gathering, name, &status, options->inflate, error);
}

/* Add the only file, which was named by the user. */
static int take_only(struct entries *entries, struct simhash_error *error)
{
	struct stat status;

	if (fstatat(entries->directory->fd, entries->only, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		report(entries, entries->only, errno);
		return 0;
	}
	return gathering_add(&entries->gathering, entries->only, &status, entries->options->inflate,
			     error);
}

/* Return the kind of the directory's last chunk. */
static enum chunk_part last_part(const struct entries *entries)
{
	if (entries->has_failed || entries->only != NULL)
		return CHUNK_INCOMPLETE;
	return entries->has_parts ? CHUNK_LAST_PART : CHUNK_WHOLE;
}

/*
 * After ENOENT: return 0 if the directory was removed or replaced after it was opened, so it has no
 * entries. Otherwise return why it cannot be read.
 */
static int why_unread(const struct directory *directory)
{
	struct stat own, there;
	int fd, why = ENOENT;

	if (fstat(directory->fd, &own) != 0)
		return errno;
	if (own.st_nlink == 0)
		return 0;
	fd = open_path(directory->path, OPEN_TO_REACH);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (fstat(fd, &there) != 0)
		why = errno;
	else if (own.st_dev != there.st_dev || own.st_ino != there.st_ino)
		why = 0;
	close(fd);
	return why;
}

/* Reading has failed, so the remaining entries are unknown. */
static void note_failure(struct entries *entries)
{
	int why = errno;

	if (why == ENOENT)
		why = why_unread(entries->directory);
	if (why == 0 && !entries->options->reports_vanished)
		return;
	why = why == 0 ? ENOENT : why;
	report(entries, "", why);
	entries->has_failed = true;
}

/* Read entries. Returns ENTRIES_DIRECTORY, 0 if a chunk is complete, or -1. */
static int read_on(struct entries *entries, struct simhash_error *error)
{
	struct entry entry;

	while (!gathering_is_full(&entries->gathering)) {
		int status = entry_reader_next(&entries->reader, &entry);
		if (status < 0)
			note_failure(entries);
		if (status != 1) {
			entries->is_over = true;
			break;
		}
		if (atomic_load(entries->options->stop))
			return error_set(error, ERROR_STOPPED, "stopped");
		status = take_entry(entries, &entry, error);
		if (status != 0)
			return status;
	}
	return 0;
}

int entries_next(struct entries *entries, struct chunk *chunk, struct simhash_error *error)
{
	int status;

	if (entries->is_over)
		return ENTRIES_END;
	if (entries->only != NULL) {
		status = take_only(entries, error);
		entries->is_over = true;
	} else {
		status = read_on(entries, error);
	}
	if (status != 0)
		return status;
	gathering_finish(&entries->gathering, entries->directory,
			 entries->is_over ? last_part(entries) : CHUNK_PART, chunk);
	entries->has_parts = true;
	return ENTRIES_FILES;
}
