/*
 * Reads /proc/self/mountinfo and the paths of open files in /proc/self/fd, and reads them again
 * after changes.
 * SPDX-License-Identifier: MIT
 */
#include "place/mounts.h"

#include "base/basic/error.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/open_file.h"
#include "base/files/read_file.h"

#define MOUNTINFO "/proc/self/mountinfo"
#define MOUNTINFO_MAX ((size_t)256 << 20)
#define READS_MAX 10 /* attempts to read a table that changes meanwhile */

/* The kernel returns no longer paths. */
struct fd_path {
	char text[PATH_MAX + 1];
	struct bytes bytes;
};

/* A protected directory. It stays open, so that the kernel keeps its name in memory. */
struct top {
	int fd;
	struct fd_path path; /* its path when the table was read */
};

struct mounts {
	int fd; /* the open mountinfo */
	bool is_stale;
	struct mount_table table;
	size_t count;
	struct top tops[];
};

/* ---- Open files ---- */

static bool read_mount_id_of_proc(int fd, uint64_t *id)
{
	char path[64], *text;
	const char *line;
	size_t size;
	bool has_id;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	if (read_path(path, 65536, &text, &size, NULL) != 0)
		return false;
	line = strstr(text, "mnt_id:");
	has_id = line != NULL && sscanf(line, "mnt_id: %" SCNu64, id) == 1;
	free(text);
	return has_id;
}

static bool read_mount_id(int fd, uint64_t *id)
{
#ifdef STATX_MNT_ID
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) == 0 &&
	    (status.stx_mask & STATX_MNT_ID) != 0) {
		*id = status.stx_mnt_id;
		return true;
	}
#endif
	return read_mount_id_of_proc(fd, id);
}

/*
 * The kernel appends " (deleted)" to the path of a removed file, but a name may also end like this.
 */
static bool is_path_of(const struct fd_path *path, int fd)
{
	static const char end[] = " (deleted)";
	const size_t size = sizeof end - 1;
	struct stat named, opened;

	if (path->bytes.size < size ||
	    memcmp(path->bytes.data + path->bytes.size - size, end, size) != 0)
		return true;
	return lstat(path->text, &named) == 0 && fstat(fd, &opened) == 0 &&
	       named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

static bool read_fd_path(int fd, struct fd_path *path)
{
	char link[64];
	ssize_t size;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	size = readlink(link, path->text, sizeof path->text);
	if (size <= 0 || (size_t)size == sizeof path->text)
		return false;
	path->text[size] = '\0';
	path->bytes = (struct bytes){path->text, (size_t)size};
	return is_path_of(path, fd);
}

/* ---- The table ---- */

/* Has the table changed since the last call? */
static bool has_changed(const struct mounts *mounts)
{
	struct pollfd asked = {.fd = mounts->fd, .events = POLLPRI};

	return poll(&asked, 1, 0) != 0 && (asked.revents & (POLLERR | POLLPRI)) != 0;
}

static int read_table(struct mounts *mounts, struct simhash_error *error)
{
	char *text;
	size_t size;

	mount_table_release(&mounts->table);
	if (lseek(mounts->fd, 0, SEEK_SET) != 0)
		return error_set_errno(error, "cannot read " MOUNTINFO);
	if (read_descriptor(mounts->fd, MOUNTINFO, MOUNTINFO_MAX, &text, &size, error) != 0)
		return -1;
	return mount_table_read(&mounts->table, text, size, error);
}

/* Read a table that does not change while it is read. */
static int read_still_table(struct mounts *mounts, struct simhash_error *error)
{
	has_changed(mounts);
	for (int i = 0; i < READS_MAX; i++) {
		if (read_table(mounts, error) != 0)
			return -1;
		if (!has_changed(mounts))
			return 0;
	}
	return error_set(error, SIMHASH_E_SYSTEM, "cannot read " MOUNTINFO ": it keeps changing");
}

static bool locate(const struct mounts *mounts, int fd, struct fd_path *path,
		   struct location *location)
{
	uint64_t id;

	return read_mount_id(fd, &id) && read_fd_path(fd, path) &&
	       mount_table_locate(&mounts->table, id, path->bytes, location);
}

/*
 * *is_known: does the table show the location of everything protected? If not, it cannot be used.
 */
static int load(struct mounts *mounts, bool *is_known, struct simhash_error *error)
{
	struct location *locations;
	int status = -1;

	mounts->is_stale = true;
	*is_known = false;
	if (read_still_table(mounts, error) != 0)
		return -1;
	locations = calloc(mounts->count + 1, sizeof *locations);
	if (locations == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < mounts->count; i++) {
		struct top *top = &mounts->tops[i];
		if (!locate(mounts, top->fd, &top->path, &locations[i])) {
			status = 0;
			goto out;
		}
	}
	*is_known = true;
	status = mount_table_protect(&mounts->table, locations, mounts->count, error);
	mounts->is_stale = status != 0;
out:
	free(locations);
	return status;
}

/* Have mounts changed, or have directories above a protected one been renamed? */
static bool is_stale(const struct mounts *mounts)
{
	struct fd_path path;

	if (mounts->is_stale || has_changed(mounts))
		return true;
	for (size_t i = 0; i < mounts->count; i++)
		if (!read_fd_path(mounts->tops[i].fd, &path) ||
		    bytes_compare(path.bytes, mounts->tops[i].path.bytes) != 0)
			return true;
	return false;
}

/* ---- The object ---- */

int mounts_open(const struct bytes *directories, size_t count, struct mounts **made,
		struct simhash_error *error)
{
	struct mounts *mounts;
	bool is_known;
	int fd = open_file_at(AT_FDCWD, MOUNTINFO, O_RDONLY, 0), status;

	*made = NULL;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : error_set_errno(error, "cannot open " MOUNTINFO
							", which --protect needs");
	mounts = calloc(1, sizeof *mounts + count * sizeof mounts->tops[0]);
	if (mounts == NULL) {
		close(fd);
		return error_set_memory(error);
	}
	mounts->fd = fd;
	for (size_t i = 0; i < count; i++) {
		mounts->tops[i].fd = open_file_at(AT_FDCWD, directories[i].data, OPEN_TO_REACH, 0);
		if (mounts->tops[i].fd < 0) {
			error_set_errno(error, "--protect=%s", directories[i].data);
			goto failed;
		}
		mounts->count++;
	}
	status = load(mounts, &is_known, error);
	if (status == 0 && is_known)
		*made = mounts;
	else
		mounts_close(mounts);
	return status;
failed:
	mounts_close(mounts);
	return -1;
}

void mounts_close(struct mounts *mounts)
{
	if (mounts == NULL)
		return;
	for (size_t i = 0; i < mounts->count; i++)
		close(mounts->tops[i].fd);
	mount_table_release(&mounts->table);
	close(mounts->fd);
	free(mounts);
}

static bool reload(struct mounts *mounts)
{
	bool is_known;

	return load(mounts, &is_known, NULL) == 0 && is_known;
}

static enum mount_answer tell_fd(struct mounts *mounts, int fd)
{
	struct location location;
	struct fd_path path;

	if (is_stale(mounts) && !reload(mounts))
		return MOUNT_UNKNOWN;
	/* A directory above a mount may have been renamed, which does not change the table. */
	if (!locate(mounts, fd, &path, &location) &&
	    (!reload(mounts) || !locate(mounts, fd, &path, &location)))
		return MOUNT_UNKNOWN;
	return mount_table_tell(&mounts->table, &location);
}

enum mount_answer mounts_tell(struct mounts *mounts, int directory_fd, const char *name)
{
	int fd = open_file_at(directory_fd, name, O_PATH | O_NOFOLLOW, 0);
	enum mount_answer answer;

	if (fd < 0) /* a path that is too long cannot be opened either */
		return errno == ENOENT || errno == EACCES || errno == ENAMETOOLONG
			       ? tell_fd(mounts, directory_fd)
			       : MOUNT_UNKNOWN;
	answer = tell_fd(mounts, fd);
	close(fd);
	return answer;
}

#else

int mounts_open(const struct bytes *directories, size_t count, struct mounts **mounts,
		struct simhash_error *error)
{
	(void)directories, (void)count, (void)error;
	*mounts = NULL;
	return 0;
}

void mounts_close(struct mounts *mounts)
{
	(void)mounts;
}

enum mount_answer mounts_tell(struct mounts *mounts, int directory_fd, const char *name)
{
	(void)mounts, (void)directory_fd, (void)name;
	return MOUNT_UNKNOWN;
}

#endif
