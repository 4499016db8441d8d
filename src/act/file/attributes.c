/*
 * Implements attributes.h.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"

#ifdef __linux__
#include <sys/xattr.h>

#define VALUE_MAX 65536 /* XATTR_SIZE_MAX, which is also the limit for the list of names */

/* The names and values of attributes. */
struct attributes {
	char names[VALUE_MAX], value[VALUE_MAX], other[VALUE_MAX];
	ssize_t size;
};

static struct attributes *list_attributes(int fd)
{
	struct attributes *all = malloc(sizeof *all);

	if (all == NULL)
		return NULL;
	all->size = flistxattr(fd, all->names, sizeof all->names);
	if (all->size < 0 && errno == ENOTSUP)
		all->size = 0;
	return all;
}

/* Does y have all these attributes of x with the same values? */
static bool are_in(struct attributes *all, int x, int y)
{
	for (ssize_t at = 0; at < all->size; at += (ssize_t)strlen(all->names + at) + 1) {
		ssize_t size = fgetxattr(x, all->names + at, all->value, VALUE_MAX);
		if (size < 0 || fgetxattr(y, all->names + at, all->other, VALUE_MAX) != size ||
		    memcmp(all->value, all->other, (size_t)size) != 0)
			return false;
	}
	return true;
}

bool has_same_attributes(int x, int y)
{
	struct attributes *of_x = list_attributes(x), *of_y = list_attributes(y);
	bool same = of_x != NULL && of_y != NULL && of_x->size >= 0 && of_x->size == of_y->size &&
		    are_in(of_x, x, y);

	free(of_y);
	free(of_x);
	return same;
}

/* The system itself sets attributes that begin in these ways. */
static bool is_of_system(const char *name)
{
	return strncmp(name, "security.", 9) == 0 || strncmp(name, "trusted.", 8) == 0;
}

bool has_attributes(int fd)
{
	struct attributes *all = list_attributes(fd);
	bool has = all == NULL || all->size < 0;

	for (ssize_t at = 0; !has && at < all->size; at += (ssize_t)strlen(all->names + at) + 1)
		has = !is_of_system(all->names + at);
	free(all);
	return has;
}

bool lacks_attributes(int file, int copy)
{
	struct attributes *all = list_attributes(file);
	ssize_t at = 0, kept = 0;
	bool lacks;

	/* Keep only the names that a user sets. */
	for (size_t size; all != NULL && at < all->size; at += (ssize_t)size) {
		const char *name = all->names + at;
		size = strlen(name) + 1;
		if (strncmp(name, "user.", 5) != 0 &&
		    strcmp(name, "system.posix_acl_access") != 0 &&
		    strcmp(name, "security.capability") != 0)
			continue;
		memmove(all->names + kept, name, size);
		kept += (ssize_t)size;
	}
	lacks = all == NULL || all->size < 0;
	if (!lacks) {
		all->size = kept;
		lacks = !are_in(all, file, copy);
	}
	free(all);
	return lacks;
}

/* Does the attribute give permissions: a capability of a program, or an access list? */
static bool gives_rights(const char *name)
{
	return strcmp(name, "security.capability") == 0 || strncmp(name, "system.", 7) == 0;
}

int copy_attributes(int from, int to, bool with_rights)
{
	struct attributes *all = list_attributes(from);
	int status = all == NULL || all->size < 0 ? -1 : 0;

	for (ssize_t at = 0; all != NULL && at < all->size;
	     at += (ssize_t)strlen(all->names + at) + 1) {
		const char *name = all->names + at;
		ssize_t size = fgetxattr(from, name, all->value, VALUE_MAX);
		if (size < 0 || (gives_rights(name) && !with_rights) ||
		    fsetxattr(to, name, all->value, (size_t)size, 0) != 0)
			status = -1; /* continue with the other attributes */
	}
	free(all);
	return status;
}
#else
bool has_same_attributes(int x, int y)
{
	(void)x, (void)y;
	return true;
}

bool lacks_attributes(int file, int copy)
{
	(void)file, (void)copy;
	return false;
}

bool has_attributes(int fd)
{
	(void)fd;
	return false;
}

int copy_attributes(int from, int to, bool with_rights)
{
	(void)from, (void)to, (void)with_rights;
	return 0;
}
#endif

/* ---- Attributes that forbid a removal ---- */

enum lock { LOCK_NONE, LOCK_APPEND, LOCK_IMMUTABLE };

/* The attribute of chattr(1) or chflags(1). The name "" means the directory itself. */
static enum lock find_lock(const struct place *place, const char *name)
{
#if defined __linux__ && defined STATX_ATTR_APPEND
	struct statx found;

	if (statx(place->directory_fd, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, 0, &found) != 0)
		return LOCK_NONE;
	return (found.stx_attributes & STATX_ATTR_IMMUTABLE) != 0 ? LOCK_IMMUTABLE
	       : (found.stx_attributes & STATX_ATTR_APPEND) != 0  ? LOCK_APPEND
								  : LOCK_NONE;
#elif defined __APPLE__
	struct stat found;

	if ((name[0] == '\0' ? fstat(place->directory_fd, &found)
			     : place_status(place, name, &found)) != 0)
		return LOCK_NONE;
	return (found.st_flags & (UF_IMMUTABLE | SF_IMMUTABLE)) != 0 ? LOCK_IMMUTABLE
	       : (found.st_flags & (UF_APPEND | SF_APPEND)) != 0     ? LOCK_APPEND
								     : LOCK_NONE;
#else
	(void)place, (void)name;
	return LOCK_NONE;
#endif
}

static bool is_sticky_for(const struct place *place, const struct stat *status)
{
	struct stat directory;
	uid_t user = geteuid();

	return status != NULL && user != 0 && status->st_uid != user &&
	       fstat(place->directory_fd, &directory) == 0 && (directory.st_mode & S_ISVTX) != 0 &&
	       directory.st_uid != user;
}

int check_removal(const struct place *place, const struct stat *status, struct simhash_error *why)
{
	static const char *const reasons[] = {NULL, "append-only", "immutable"};
	enum lock of_directory = find_lock(place, ""), of_file = LOCK_NONE;

	if (of_directory != LOCK_NONE)
		return error_set(
			why, SIMHASH_E_RANGE,
			"its directory is %s, so its names cannot be removed; see chattr(1)",
			reasons[of_directory]);
	if (faccessat(place->directory_fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return error_set_errno(why, "its directory cannot be changed");
	if (status != NULL)
		of_file = find_lock(place, place->name);
	if (of_file != LOCK_NONE)
		return error_set(why, SIMHASH_E_RANGE, "it is %s; see chattr(1)", reasons[of_file]);
	if (is_sticky_for(place, status))
		return error_set(why, SIMHASH_E_RANGE,
				 "its directory lets only the owner of a file remove it");
	return 0;
}

/* ---- Owner, mode and times ---- */

static struct timespec timespec_of(int64_t ns)
{
	struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S),
				.tv_nsec = (long)(ns % NS_PER_S)};

	if (time.tv_nsec < 0) {
		time.tv_nsec += NS_PER_S;
		time.tv_sec--;
	}
	return time;
}

bool has_owner(const struct stat *status, const struct journal_file *file)
{
	return (uint32_t)status->st_uid == file->owner && (uint32_t)status->st_gid == file->group;
}

mode_t restored_mode(const struct stat *status, const struct journal_file *file)
{
	bool same_owner = (uint32_t)status->st_uid == file->owner;
	bool same_group = (uint32_t)status->st_gid == file->group;
	mode_t mode = (mode_t)file->mode;

	if (!same_owner || !same_group)
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	return same_group ? mode : mode & (~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3);
}

int restore_times(int fd, const struct journal_file *file)
{
	const struct timespec times[] = {timespec_of(file->atime_ns), timespec_of(file->mtime_ns)};

	return futimens(fd, times);
}
