/*
 * Searches protected directories for files with several names.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/protected_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"

static int compare_files(const void *a, const void *b)
{
	const struct linked_file *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

static int take_file(struct protected_names *names, const struct stat *status,
		     struct simhash_error *why)
{
	if (!S_ISREG(status->st_mode) || status->st_nlink < 2)
		return 0;
	if (array_reserve(&names->files, &names->capacity, names->count + 1, sizeof *names->files,
			  why) != 0)
		return -1;
	names->files[names->count++] = (struct linked_file){status->st_dev, status->st_ino};
	return 0;
}

static int look_below(struct protected_names *names, int above, const char *name,
		      struct simhash_error *why);

static int take_entry(struct protected_names *names, int directory, const char *name,
		      struct simhash_error *why)
{
	struct stat status;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : error_set_errno(why, "%s", name);
	return S_ISDIR(status.st_mode) ? look_below(names, directory, name, why)
				       : take_file(names, &status, why);
}

/* Each level has one open descriptor. Directories that are removed meanwhile are skipped. */
static int look_below(struct protected_names *names, int above, const char *name,
		      struct simhash_error *why)
{
	int fd = open_file_at(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), status = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (directory == NULL) {
		bool is_gone = errno == ENOENT;
		if (fd >= 0)
			close_keeping_errno(fd);
		return is_gone ? 0 : error_set_errno(why, "%s", name);
	}
	while (status == 0 && (errno = 0, entry = readdir(directory)) != NULL)
		status = take_entry(names, dirfd(directory), entry->d_name, why);
	if (status == 0 && errno != 0)
		status = error_set_errno(why, "%s", name);
	closedir(directory);
	return status;
}

static void look_once(struct protected_names *names, const struct bytes *directories, size_t count)
{
	int status = 0;

	names->has_looked = true;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = look_below(names, AT_FDCWD, directories[i].data, &names->failure);
	if (names->count > 0)
		qsort(names->files, names->count, sizeof *names->files, compare_files);
}

int protected_names_look(struct protected_names *names, const struct bytes *directories,
			 size_t count, const struct stat *file, bool *is_found,
			 struct simhash_error *why)
{
	const struct linked_file wanted = {file->st_dev, file->st_ino};

	if (!names->has_looked)
		look_once(names, directories, count);
	if (names->failure.message[0] != '\0')
		return error_set(why, names->failure.code,
				 "the kept file has other names, and it is unknown whether "
				 "one is protected: %s",
				 names->failure.message);
	*is_found = names->count > 0 && bsearch(&wanted, names->files, names->count, sizeof wanted,
						compare_files) != NULL;
	return 0;
}

void protected_names_release(struct protected_names *names)
{
	free(names->files);
	*names = (struct protected_names){.count = 0};
}
