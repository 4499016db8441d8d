/*
 * Opens paths of any length, converts file times, and closes files. It does not close databases
 * that SQLite has open, because their locks would be lost.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/open_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/basic/clock.h"

#define PIECE 4000 /* bytes of a path to open at once; less than PATH_MAX on all relevant systems */

/* Reading then does not change the access time. Only the owner and root may ask for it. */
#ifdef O_NOATIME
#define QUIETLY O_NOATIME
#else
#define QUIETLY 0
#endif

static int open_again_and_again(int directory_fd, const char *path, int flags, mode_t mode)
{
	int fd;

	do {
		fd = openat(directory_fd, path, flags | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

int open_file_at(int directory_fd, const char *path, int flags, mode_t mode)
{
	bool only_reads = (flags & (O_ACCMODE | O_CREAT)) == O_RDONLY &&
			  (flags & OPEN_TO_REACH) != OPEN_TO_REACH;
	int fd = open_again_and_again(directory_fd, path, flags | (only_reads ? QUIETLY : 0), mode);

	if (fd < 0 && errno == EPERM && only_reads && QUIETLY != 0)
		fd = open_again_and_again(directory_fd, path, flags, mode);
	return fd;
}

int open_others_file_at(int directory_fd, const char *path, int flags)
{
	return open_again_and_again(directory_fd, path, flags, 0);
}

bool is_others_file(const struct stat *status)
{
	uid_t user = geteuid();

	return user != 0 && user != status->st_uid;
}

void close_keeping_errno(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

/* ---- Databases that are in use ---- */

/* Returns true if a file begins like an SQLite database, or like its lock file "-shm". */
static bool is_like_database(int fd, const struct stat *status)
{
	static const char magic[16] = "SQLite format 3";
	static const uint32_t shm_version = 3007000;
	char head[sizeof magic];

	/* Both consist of pages. An empty file has no locks. */
	return S_ISREG(status->st_mode) && status->st_size > 0 && status->st_size % 512 == 0 &&
	       pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
	       (memcmp(head, magic, sizeof magic) == 0 ||
		memcmp(head, &shm_version, sizeof shm_version) == 0);
}

static bool is_of_file(int fd, const struct stat *status)
{
	struct stat other;

	return fstat(fd, &other) == 0 && other.st_ino == status->st_ino &&
	       other.st_dev == status->st_dev;
}

/*
 * Try all descriptor numbers, for systems that cannot list descriptors, for example without /proc.
 */
static bool is_open_under_any_number(int fd, const struct stat *status)
{
	long max = sysconf(_SC_OPEN_MAX);

	for (int other = 0; other < max; other++)
		if (other != fd && is_of_file(other, status))
			return true;
	return false;
}

static bool is_open_elsewhere(int fd, const struct stat *status)
{
	DIR *descriptors = opendir("/dev/fd");
	const struct dirent *entry;
	bool found = false;

	if (descriptors == NULL)
		return is_open_under_any_number(fd, status);
	while (!found && (entry = readdir(descriptors)) != NULL) {
		char *end;
		long other = strtol(entry->d_name, &end, 10);
		found = *end == '\0' && end != entry->d_name && other != fd &&
			is_of_file((int)other, status);
	}
	closedir(descriptors);
	return found;
}

bool must_stay_open(int fd)
{
	int saved = errno;
	struct stat status;
	bool must = fstat(fd, &status) == 0 && is_like_database(fd, &status) &&
		    is_open_elsewhere(fd, &status);

	errno = saved;
	return must;
}

void close_content(int fd)
{
	if (!must_stay_open(fd))
		close_keeping_errno(fd);
}

int descriptor_lift(int fd)
{
	int lifted = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd >= 0)
		close_keeping_errno(fd);
	return lifted;
}

FILE *open_stream(const char *path, int flags, mode_t mode, const char *stream_mode)
{
	int fd = open_file_at(AT_FDCWD, path, flags, mode);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, stream_mode);

	if (stream == NULL && fd >= 0)
		close_keeping_errno(fd);
	return stream;
}

int open_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int fd;

	*name = slash == NULL ? path : slash + 1;
	parent = slash == NULL ? strdup(".") : strndup(path, (size_t)(*name - path));
	if (parent == NULL)
		return -1;
	fd = open_file_at(AT_FDCWD, parent, OPEN_TO_REACH, 0);
	free(parent);
	return fd;
}

int give_to_owner(int directory_fd, int fd)
{
	struct stat directory;

	if (fstat(directory_fd, &directory) != 0)
		return -1;
	if (geteuid() != 0 || directory.st_uid == 0 || (directory.st_mode & S_IWOTH) != 0)
		return 0;
	return fchown(fd, directory.st_uid, directory.st_gid) == 0 || errno == EPERM ? 0 : -1;
}

int close_text(FILE *stream, char **text)
{
	/* If the last allocation fails, glibc reports this only by a NULL pointer. */
	if (fclose(stream) == 0 && *text != NULL)
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}

int open_path(const char *path, int flags)
{
	char piece[PIECE];
	int top = AT_FDCWD, fd = -1;

	while (strlen(path) >= PIECE) {
		const char *cut = path + PIECE - 1;
		while (cut > path && *cut != '/')
			cut--;
		if (cut == path) {
			errno = ENAMETOOLONG;
			break;
		}
		memcpy(piece, path, (size_t)(cut - path));
		piece[cut - path] = '\0';
		fd = open_file_at(top, piece, O_RDONLY | O_DIRECTORY, 0);
		if (top != AT_FDCWD)
			close(top);
		if (fd < 0)
			return -1;
		top = fd;
		fd = -1;
		path = cut + 1;
	}
	if (strlen(path) < PIECE)
		fd = open_file_at(top, path, flags, 0);
	if (top != AT_FDCWD)
		close_keeping_errno(top);
	return fd;
}

void reserve_descriptors(unsigned count)
{
	int fd = open_file_at(AT_FDCWD, "/", OPEN_TO_REACH, 0), high = -1;
	struct rlimit limit;

	if (fd < 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count)
		count = (unsigned)limit.rlim_cur;
	if (count > 0 && count <= INT_MAX)
		high = fcntl(fd, F_DUPFD_CLOEXEC, (int)count - 1);
	if (high >= 0)
		close(high);
	close(fd);
}

int open_path_directly(const char *path, int flags)
{
	char *copy = strdup(path), *name = copy;
	bool is_last = path[strspn(path, "/")] == '\0';
	int saved;
	int fd = copy == NULL ? -1
			      : open_file_at(AT_FDCWD, "/", is_last ? flags : OPEN_TO_REACH, 0);

	while (fd >= 0 && !is_last) {
		char *end;
		int above = fd;
		name += strspn(name, "/");
		end = name + strcspn(name, "/");
		is_last = end[strspn(end, "/")] == '\0';
		*end = '\0';
		fd = open_file_at(above, name, (is_last ? flags : OPEN_TO_REACH) | O_NOFOLLOW, 0);
		close_keeping_errno(above);
		name = end + 1;
	}
	saved = errno;
	free(copy);
	errno = saved;
	return fd;
}

int64_t stat_mtime_ns(const struct stat *status)
{
#ifdef __APPLE__
	const struct timespec *time = &status->st_mtimespec;
#else
	const struct timespec *time = &status->st_mtim;
#endif
	return clock_ns(time->tv_sec, time->tv_nsec);
}

int64_t stat_ctime_ns(const struct stat *status)
{
#ifdef __APPLE__
	const struct timespec *time = &status->st_ctimespec;
#else
	const struct timespec *time = &status->st_ctim;
#endif
	return clock_ns(time->tv_sec, time->tv_nsec);
}
