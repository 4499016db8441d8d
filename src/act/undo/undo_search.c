/*
 * Searches file systems for the names that no act removed of files that lost other names.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "act/undo/undo_state.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/tree_reader.h"

#ifdef __linux__
#include <sys/sysmacros.h>
#endif

/* A hard link cannot lead to another mount, even if the file system is the same. */
struct mount_key {
	uint64_t device, mount; /* mount 0: unknown */
};

/* A file with names that no act removed. */
struct staying_file {
	const struct journal_act *act; /* one of its acts */
	const char *path;	       /* one of these names; NULL: none is found */
};

/* A walk that is over. The device is the recorded one. */
struct walked_mount {
	uint64_t device;
	struct mount_key mount;
};

struct undo_search {
	struct staying_file *files; /* sorted by device and inode */
	size_t count;
	struct arena paths;
	struct walked_mount *walked;
	size_t walked_count, walked_capacity;
};

/* One walk. */
struct walk {
	struct undoer *undoer;
	struct staying_file *files; /* the files of one recorded device */
	size_t count, missing;
	struct mount_key mount;
	struct bytes searched; /* a folder that was read before */
	struct simhash_error *error;
};

/* ---- Files to find ---- */

static int compare_files(const void *a, const void *b)
{
	const struct journal_file *x = &((const struct staying_file *)a)->act->copy;
	const struct journal_file *y = &((const struct staying_file *)b)->act->copy;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

static struct staying_file *find_file(struct staying_file *files, size_t count,
				      const struct journal_act *act)
{
	const struct staying_file wanted = {.act = act};

	return count == 0 ? NULL : bsearch(&wanted, files, count, sizeof wanted, compare_files);
}

static bool has_lost_name(const struct journal_act *act)
{
	return loses_name(act) && act->outcome != OUTCOME_LEFT && act->has_hash;
}

/* Keep one of the acts of each file that had more names than acts. */
static void keep_staying(struct undo_search *search)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < search->count; i = end) {
		uint64_t names = 0;
		for (end = i; end < search->count &&
			      compare_files(&search->files[i], &search->files[end]) == 0;
		     end++)
			if (search->files[end].act->copy.links > names)
				names = search->files[end].act->copy.links;
		if (names > end - i)
			search->files[kept++] = search->files[i];
	}
	search->count = kept;
}

static int collect(struct undo_search *search, const struct journal_list *list,
		   struct simhash_error *error)
{
	bool has_names = false;

	for (size_t i = 0; i < list->count; i++)
		has_names = has_names ||
			    (has_lost_name(&list->acts[i]) && list->acts[i].copy.links > 1);
	if (!has_names)
		return 0;
	search->files = calloc(list->count, sizeof *search->files);
	if (search->files == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < list->count; i++)
		if (has_lost_name(&list->acts[i]))
			search->files[search->count++].act = &list->acts[i];
	qsort(search->files, search->count, sizeof *search->files, compare_files);
	keep_staying(search);
	return 0;
}

/* ---- Mounts ---- */

/* The mount of a directory, without a request to its server. An empty name: the open directory. */
static int find_mount(int fd, const char *name, struct mount_key *key)
{
	struct stat status;
#ifdef STATX_MNT_ID
	struct statx found;

	if (statx(fd, name,
		  AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		  STATX_TYPE | STATX_MNT_ID, &found) == 0) {
		*key = (struct mount_key){makedev(found.stx_dev_major, found.stx_dev_minor),
					  (found.stx_mask & STATX_MNT_ID) != 0 ? found.stx_mnt_id
									       : 0};
		return 0;
	}
#endif
	if ((name[0] == '\0' ? fstat(fd, &status)
			     : fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW)) != 0)
		return -1;
	*key = (struct mount_key){(uint64_t)status.st_dev, 0};
	return 0;
}

static bool is_same_mount(const struct mount_key *x, const struct mount_key *y)
{
	return x->device == y->device && x->mount == y->mount;
}

static int find_mount_of_path(struct bytes folder, struct mount_key *key)
{
	char *path = folder.size == 0 ? strdup("/") : strndup(folder.data, folder.size);
	int fd = path == NULL ? -1 : open_path_directly(path, OPEN_TO_REACH);
	int status = fd < 0 ? -1 : find_mount(fd, "", key);

	if (fd >= 0)
		close_keeping_errno(fd);
	free(path);
	return status;
}

/* ---- The walk ---- */

/* Was the folder read before the one above it? */
static bool is_searched(const struct walk *walk, const char *directory, const char *name)
{
	struct bytes searched = walk->searched, above = path_above(searched);
	size_t size = directory[1] == '\0' ? 0 : strlen(directory);

	return searched.size == size + 1 + strlen(name) && above.size == size &&
	       memcmp(searched.data, directory, size) == 0 &&
	       memcmp(searched.data + size + 1, name, strlen(name)) == 0;
}

/*
 * Should the walk enter the directory? Directories can have any depth, so it does not enter those
 * whose paths are longer than the system accepts.
 */
static int take_directory(struct walk *walk, const char *directory, int fd, const char *name)
{
	struct mount_key mount;

	if (find_mount(fd, name, &mount) != 0 || !is_same_mount(&mount, &walk->mount) ||
	    is_searched(walk, directory, name))
		return 0;
	if (strlen(directory) + strlen(name) + 1 < PATH_MAX)
		return 1;
	walk->undoer->unread_folders++;
	return 0;
}

/* The search ends with -1 when all files are found. */
static int take_file(struct walk *walk, const char *directory, int fd, const char *name,
		     struct staying_file *file)
{
	const struct journal_file *was = &file->act->copy;
	struct stat status;
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path;

	if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (uint64_t)status.st_ino != was->inode || !looks_restored(&status, was) ||
	    !has_owner(&status, was))
		return 0;
	path = arena_take(&walk->undoer->search->paths, size);
	if (path == NULL)
		return error_set_memory(walk->error);
	snprintf(path, size, "%s/%s", directory[1] == '\0' ? "" : directory, name);
	file->path = path;
	return --walk->missing == 0 ? -1 : 0;
}

/* Some FUSE file systems give no inodes with the names. */
static bool lacks_inode(const struct entry *entry)
{
	return entry->inode == 0 || entry->inode == UINT32_MAX || entry->inode == UINT64_MAX;
}

static int take_entry(void *context, const char *directory, int fd, const struct entry *entry)
{
	struct walk *walk = context;
	struct journal_act wanted = {
		.copy = {.device = walk->files->act->copy.device, .inode = entry->inode}};
	struct staying_file *file;
	enum entry_type type = entry->type;
	struct stat status;

	if ((type == ENTRY_TYPE_UNKNOWN || (type == ENTRY_TYPE_FILE && lacks_inode(entry))) &&
	    fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		type = S_ISDIR(status.st_mode)	 ? ENTRY_TYPE_DIRECTORY
		       : S_ISREG(status.st_mode) ? ENTRY_TYPE_FILE
						 : ENTRY_TYPE_OTHER;
		wanted.copy.inode = (uint64_t)status.st_ino;
	}
	if (type == ENTRY_TYPE_DIRECTORY)
		return take_directory(walk, directory, fd, entry->name);
	file = type == ENTRY_TYPE_FILE ? find_file(walk->files, walk->count, &wanted) : NULL;
	return file == NULL || file->path != NULL
		       ? 0
		       : take_file(walk, directory, fd, entry->name, file);
}

static int end_directory(void *context, const char *directory, int system_errno)
{
	struct walk *walk = context;

	(void)directory;
	walk->undoer->unread_folders += system_errno != 0 && system_errno != ENOENT;
	atomic_fetch_add(&walk->undoer->searched_folders, 1);
	return 0;
}

/* Read a folder, then the rest of the folder above it, and so on to the top of the mount. */
static int walk_upwards(struct walk *walk, struct bytes folder)
{
	const struct tree_reader reader = {
		.context = walk, .entry = take_entry, .end = end_directory};
	struct mount_key mount = walk->mount;
	int status = 0;

	for (;;) {
		status = tree_read(&reader, folder, walk->error);
		if (status != 0 || folder.size == 0)
			break;
		walk->searched = folder;
		folder = path_above(folder);
		if (find_mount_of_path(folder, &mount) != 0 || !is_same_mount(&mount, &walk->mount))
			break;
	}
	return walk->missing == 0 ? 0 : status;
}

static bool is_walked(const struct undo_search *search, const struct walked_mount *mount)
{
	for (size_t i = 0; i < search->walked_count; i++)
		if (search->walked[i].device == mount->device &&
		    is_same_mount(&search->walked[i].mount, &mount->mount))
			return true;
	return false;
}

/* All files that had the device of this one. */
static void choose_files(struct walk *walk, const struct undo_search *search,
			 const struct staying_file *file)
{
	uint64_t device = file->act->copy.device;
	size_t first = (size_t)(file - search->files), end = first;

	while (first > 0 && search->files[first - 1].act->copy.device == device)
		first--;
	while (end < search->count && search->files[end].act->copy.device == device)
		end++;
	walk->files = &search->files[first];
	walk->count = end - first;
	for (size_t i = first; i < end; i++)
		walk->missing += search->files[i].path == NULL;
}

/* Walk through the mount that has the place of the act, unless this was done before. */
static int search_near(struct undoer *undoer, const struct journal_act *act,
		       const struct staying_file *file, struct simhash_error *error)
{
	struct undo_search *search = undoer->search;
	struct bytes folder = path_above(bytes_of(act->path));
	struct walk walk = {.undoer = undoer, .error = error};
	struct walked_mount walked = {.device = act->copy.device};

	while (find_mount_of_path(folder, &walk.mount) != 0) {
		if (folder.size == 0 || errno != ENOENT)
			return 0; /* this act will be left alone */
		folder = path_above(folder);
	}
	walked.mount = walk.mount;
	if (is_walked(search, &walked))
		return 0;
	if (array_reserve(&search->walked, &search->walked_capacity, search->walked_count + 1,
			  sizeof *search->walked, error) != 0)
		return -1;
	search->walked[search->walked_count++] = walked;
	choose_files(&walk, search, file);
	return walk_upwards(&walk, folder);
}

/* Is the name restored already, or was it never removed? */
static bool is_back(const struct journal_act *act)
{
	struct stat named;

	if (lstat(act->path, &named) != 0)
		return false;
	return (uint64_t)named.st_ino == act->copy.inode ||
	       (looks_restored(&named, &act->copy) &&
		(act->action != ACTION_HARDLINK || (uint64_t)named.st_ino != act->kept_file.inode));
}

int undo_find_names(struct undoer *undoer, const struct journal_list *list,
		    struct simhash_error *error)
{
	struct undo_search *search = calloc(1, sizeof *search);
	int status = search == NULL ? error_set_memory(error) : collect(search, list, error);

	undoer->search = search;
	for (size_t i = list->count; status == 0 && search->count > 0 && i-- > 0;) {
		const struct journal_act *act = &list->acts[i];
		const struct staying_file *file =
			has_lost_name(act) ? find_file(search->files, search->count, act) : NULL;
		if (file != NULL && file->path == NULL && !is_back(act))
			status = search_near(undoer, act, file, error);
	}
	return status;
}

const char *undo_staying_name(const struct undoer *undoer, const struct journal_act *act)
{
	const struct undo_search *search = undoer->search;
	const struct staying_file *file =
		search == NULL ? NULL : find_file(search->files, search->count, act);

	return file == NULL ? NULL : file->path;
}

bool undo_is_apart(const struct undoer *undoer, const struct journal_act *act)
{
	const struct undo_search *search = undoer->search;
	const struct staying_file *file = search == NULL || !has_lost_name(act)
						  ? NULL
						  : find_file(search->files, search->count, act);
	struct stat named;

	return file != NULL && file->act == act && lstat(act->path, &named) == 0 &&
	       (uint64_t)named.st_ino != act->copy.inode && is_back(act);
}

void undo_search_end(struct undoer *undoer)
{
	struct undo_search *search = undoer->search;

	if (search == NULL)
		return;
	free(search->files);
	free(search->walked);
	arena_release(&search->paths);
	free(search);
	undoer->search = NULL;
}
