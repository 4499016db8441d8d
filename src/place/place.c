/*
 * Opens directories one name after another, without following links or entering protected
 * directories.
 * SPDX-License-Identifier: MIT
 */
#include "place/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "place/mounts.h"

int guard_init(struct guard *guard, const struct bytes *directories, size_t count,
	       struct simhash_error *error)
{
	*guard = (struct guard){.directories = calloc(count + 1, sizeof *guard->directories)};
	if (guard->directories == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct stat status;
		if (stat(directories[i].data, &status) != 0 ||
		    (!S_ISDIR(status.st_mode) && (errno = ENOTDIR) != 0)) {
			guard_release(guard);
			return error_set_errno(error, "--protect=%s", directories[i].data);
		}
		guard->directories[guard->count++] = (struct guarded){status.st_dev, status.st_ino};
	}
	if (count > 0 && mounts_open(directories, count, &guard->mounts, error) != 0) {
		guard_release(guard);
		return -1;
	}
	return 0;
}

void guard_release(struct guard *guard)
{
	mounts_close(guard->mounts);
	free(guard->directories);
	*guard = (struct guard){.directories = NULL};
}

bool guard_has(const struct guard *guard, const struct stat *status)
{
	for (size_t i = 0; guard != NULL && i < guard->count; i++)
		if (guard->directories[i].device == status->st_dev &&
		    guard->directories[i].inode == status->st_ino)
			return true;
	return false;
}

static bool is_guarded(const struct guard *guard, int fd)
{
	struct stat status;

	if (guard == NULL || guard->count == 0)
		return false;
	/* assume yes if it is unknown */
	return fstat(fd, &status) != 0 || guard_has(guard, &status);
}

/* Check the mounts, because the path may reach protected files without their directory's inode. */
static int check_mounts(const struct guard *guard, const struct place *place,
			struct simhash_error *why)
{
	enum mount_answer answer;
	char *name;

	if (guard == NULL || guard->mounts == NULL)
		return 0;
	name = strndup(place->name, strcspn(place->name, "/"));
	if (name == NULL)
		return error_set_memory(why);
	answer = mounts_tell(guard->mounts, place->directory_fd, name);
	free(name);
	switch (answer) {
	case MOUNT_FREE:
		return 0;
	case MOUNT_PROTECTED:
		return error_set(why, SIMHASH_E_RANGE, "it is protected");
	case MOUNT_UNKNOWN:
		break;
	}
	return error_set(why, SIMHASH_E_RANGE,
			 "it may be protected: the origin of its mount is unknown");
}

static bool is_plain_name(struct bytes name)
{
	return name.size > 0 && !(name.data[0] == '.' && name.size == 1) &&
	       !(name.size == 2 && memcmp(name.data, "..", 2) == 0);
}

static int open_below(int above, const char *name)
{
	return open_file_at(above, name, OPEN_TO_REACH | O_NOFOLLOW, 0);
}

/*
 * Replace the directory *fd by its subdirectory `name`, and close the old one. If `reaches` is set,
 * a missing subdirectory changes nothing, and 1 is returned. On -1, *fd is -1.
 */
static int step(int *fd, struct bytes name, bool reaches, struct simhash_error *why)
{
	char *text = strndup(name.data, name.size);
	int above = *fd;

	*fd = text == NULL ? -1 : open_below(above, text);
	if (*fd < 0 && text != NULL && errno == ENOENT && reaches) {
		*fd = above;
		free(text);
		return 1;
	}
	if (text == NULL)
		error_set_memory(why);
	else if (*fd < 0)
		error_set_errno(why, "cannot open its directory");
	close(above);
	free(text);
	return *fd < 0 ? -1 : 0;
}

static int open_place(const char *path, const struct guard *guard, bool reaches,
		      struct place *place, struct simhash_error *why)
{
	const char *at = path + 1, *end;
	int fd = open_file_at(AT_FDCWD, "/", OPEN_TO_REACH, 0), status = 0;

	*place = (struct place){.directory_fd = -1};
	if (fd < 0)
		return error_set_errno(why, "cannot open its directory");
	for (;; at = end + 1) {
		struct bytes name;
		if (status == 0 && is_guarded(guard, fd)) {
			close(fd);
			return error_set(why, SIMHASH_E_RANGE, "it is protected");
		}
		end = at + strcspn(at, "/");
		name = (struct bytes){at, (size_t)(end - at)};
		if (!is_plain_name(name)) {
			close(fd);
			return error_set(why, SIMHASH_E_RANGE,
					 "expected a path without //, . and ..");
		}
		if (status == 0)
			place->name = at;
		if (*end == '\0')
			break;
		if (status == 0 && (status = step(&fd, name, reaches, why)) < 0)
			return -1;
	}
	place->directory_fd = fd;
	if (check_mounts(guard, place, why) == 0)
		return 0;
	place_close(place);
	return -1;
}

int place_open(const char *path, const struct guard *guard, struct place *place,
	       struct simhash_error *why)
{
	return open_place(path, guard, false, place, why);
}

int place_reach(const char *path, const struct guard *guard, struct place *place,
		struct simhash_error *why)
{
	return open_place(path, guard, true, place, why);
}

void place_close(struct place *place)
{
	if (place->directory_fd >= 0)
		close(place->directory_fd);
	place->directory_fd = -1;
}

/* Make the system read the attributes again. -1 with errno if there are none. */
static int refresh(int fd, const char *name, int flags)
{
#if defined __linux__ && defined STATX_BASIC_STATS
	struct statx fresh;

	if (statx(fd, name, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh) == 0 ||
	    errno == ENOSYS || errno == EINVAL || errno == EPERM)
		return 0;
	return -1;
#else
	(void)fd, (void)name, (void)flags;
	return 0;
#endif
}

int place_status(const struct place *place, const char *name, struct stat *status)
{
	if (refresh(place->directory_fd, name, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	return fstatat(place->directory_fd, name, status, AT_SYMLINK_NOFOLLOW);
}

int fd_status(int fd, struct stat *status)
{
#ifdef AT_EMPTY_PATH
	if (refresh(fd, "", AT_EMPTY_PATH) != 0)
		return -1;
#endif
	return fstat(fd, status);
}

bool place_has_name(const struct place *place)
{
#ifdef __linux__
	/*
	 * To create a name, the system does not rely on cached names. So this tries to create one,
	 * which always fails, because a directory cannot have a second name.
	 */
	return linkat(place->directory_fd, ".", place->directory_fd, place->name, 0) != 0 &&
	       errno == EEXIST;
#else
	struct stat status;

	return place_status(place, place->name, &status) == 0;
#endif
}

bool is_same_content(const struct stat *x, const struct stat *y)
{
	return is_same_inode(x, y) && x->st_size == y->st_size &&
	       stat_mtime_ns(x) == stat_mtime_ns(y);
}
