/*
 * A library to preload into simhash. It simulates a file system that gives unusual answers,
 * depending on the names of files and directories.
 *   twin*          files that seem to be two names of one inode
 *   new_inode*     files whose inode number differs in each process
 *   eio, estale, eoverflow      files whose status cannot be read
 *   vanished       a file or directory that disappears after it was listed
 *   dead           a directory of another file system that does not answer
 *   fuse*          a directory whose file system invents inode numbers
 *   broken.ERRNO   a directory whose second reading fails with this error
 *   broken.status  the same, with ENOENT; then its status cannot be read
 *   broken.place   the same, but only when it is opened again
 *   faded          a directory whose status cannot be read when it is opened again
 *   itself         a directory that is also its own parent
 *   endless        the same, with a new inode number each time; endless.now also with new times
 * SPDX-License-Identifier: MIT
 */
/* If a function has two names, such as openat and openat64, this replaces both. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

#define TWIN_INODE 4242
#define FUSE_MAGIC 0x65735546
#define DESCRIPTORS 65536

/* The inode number that was invented for a descriptor, or 0. */
static atomic_ullong given_inode[DESCRIPTORS];
static atomic_bool has_new_times[DESCRIPTORS];
#define NOT_OPENED (-2)
static atomic_int faded_fd = NOT_OPENED; /* the first time it was opened */
static atomic_int broken_fd = -1;	 /* the directory whose reading failed */

static unsigned long long new_inode(void)
{
	static atomic_ullong last;

	return 1000000000000 + atomic_fetch_add(&last, 1);
}

static bool begins(const char *name, const char *beginning)
{
	return strncmp(name, beginning, strlen(beginning)) == 0;
}

static int error_of(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {{"eio", EIO},
		      {"estale", ESTALE},
		      {"eoverflow", EOVERFLOW},
		      {"dead", ENOTCONN},
		      {"vanished", ENOENT}};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strcmp(name, errors[i].name) == 0)
			return errors[i].error;
	return 0;
}

/* The last name of the file to which a descriptor leads. */
static const char *name_of(int fd, char path[4096])
{
	char link[64];
	ssize_t size;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	size = readlink(link, path, 4095);
	path[size < 0 ? 0 : size] = '\0';
	return strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
}

#define CHANGE_STATUS(name, status)                                            \
	if (begins(name, "twin")) {                                            \
		(status)->st_ino = TWIN_INODE;                                 \
		(status)->st_nlink = 2;                                        \
	} else if (begins(name, "new_inode")) {                                \
		(status)->st_ino = 5000000 + (unsigned)getpid() * 100ULL +     \
				   (unsigned char)(name)[strlen("new_inode")]; \
	}

#define STATUS_AT_BY(call, type)                                                  \
	PUBLIC int call(int fd, const char *path, struct type *status, int flags) \
	{                                                                         \
		NEXT(call);                                                       \
		errno = error_of(path);                                           \
		if (errno != 0 || next(fd, path, status, flags) != 0)             \
			return -1;                                                \
		CHANGE_STATUS(path, status)                                       \
		return 0;                                                         \
	}
STATUS_AT_BY(fstatat, stat)
STATUS_AT_BY(fstatat64, stat64)

/* Is it a directory whose reading failed before, or that was opened before? */
static bool has_no_status(int fd)
{
	char path[4096];
	const char *name = broken_fd < 0 && faded_fd == NOT_OPENED ? "" : name_of(fd, path);

	return (strcmp(name, "faded") == 0 && fd != faded_fd) ||
	       (strcmp(name, "broken.status") == 0 && fd == broken_fd) ||
	       (strcmp(name, "broken.place") == 0 && fd != broken_fd);
}

#define STATUS_BY(call, type)                                                     \
	PUBLIC int call(int fd, struct type *status)                              \
	{                                                                         \
		char path[4096];                                                  \
		NEXT(call);                                                       \
		errno = has_no_status(fd) ? EIO : 0;                              \
		if (errno != 0 || next(fd, status) != 0)                          \
			return -1;                                                \
		if (S_ISREG(status->st_mode)) {                                   \
			const char *name = name_of(fd, path);                     \
			CHANGE_STATUS(name, status)                               \
		}                                                                 \
		if (fd >= 0 && fd < DESCRIPTORS && given_inode[fd] != 0)          \
			status->st_ino = given_inode[fd];                         \
		if (fd >= 0 && fd < DESCRIPTORS && has_new_times[fd])             \
			status->st_mtim.tv_sec = (time_t)(given_inode[fd] / 100); \
		return 0;                                                         \
	}
STATUS_BY(fstat, stat)
STATUS_BY(fstat64, stat64)

PUBLIC int statx(int fd, const char *path, int flags, unsigned mask, struct statx *status)
{
	NEXT(statx);
	/* A call that does not ask the file system still knows its cached attributes. */
	bool is_asked = mask != 0 || (flags & AT_STATX_DONT_SYNC) == 0;

	errno = is_asked ? error_of(path) : 0;
	if (errno != 0 || next(fd, path, flags, mask, status) != 0)
		return -1;
	if (strcmp(path, "dead") == 0)
		status->stx_dev_minor++;
	if (begins(path, "twin"))
		status->stx_ino = TWIN_INODE;
	return 0;
}

static int open_oddly(int above, const char *path, int fd)
{
	if (fd < 0 || fd >= DESCRIPTORS)
		return fd;
	given_inode[fd] = 0;
	has_new_times[fd] = false;
	(void)above;
	if (strcmp(path, "faded") == 0 && faded_fd == NOT_OPENED)
		faded_fd = fd;
	else if (fd == faded_fd)
		faded_fd = -1;
	if (!begins(path, "endless"))
		return fd;
	given_inode[fd] = new_inode();
	has_new_times[fd] = strcmp(path, "endless.now") == 0;
	return fd;
}

#define OPEN_AT_BY(call)                                                                         \
	PUBLIC int call(int above, const char *path, int flags, ...)                             \
	{                                                                                        \
		bool is_above = begins(path, "endless") || strcmp(path, "itself") == 0;          \
		int mode;                                                                        \
		va_list arguments;                                                               \
		NEXT(call);                                                                      \
		va_start(arguments, flags);                                                      \
		mode = va_arg(arguments, int);                                                   \
		va_end(arguments);                                                               \
		errno = error_of(path);                                                          \
		if (errno != 0)                                                                  \
			return -1;                                                               \
		return open_oddly(above, path, next(above, is_above ? "." : path, flags, mode)); \
	}
OPEN_AT_BY(openat)
OPEN_AT_BY(openat64)

#define FILE_SYSTEM_BY(call, type)                     \
	PUBLIC int call(int fd, struct type *status)   \
	{                                              \
		char path[4096];                       \
		NEXT(call);                            \
		if (next(fd, status) != 0)             \
			return -1;                     \
		if (begins(name_of(fd, path), "fuse")) \
			status->f_type = FUSE_MAGIC;   \
		return 0;                              \
	}
FILE_SYSTEM_BY(fstatfs, statfs)
FILE_SYSTEM_BY(fstatfs64, statfs64)

PUBLIC ssize_t getdents64(int fd, void *buffer, size_t size)
{
	char path[4096];
	const char *name = name_of(fd, path);
	NEXT(getdents64);

	if (begins(name, "broken.")) {
		if (lseek(fd, 0, SEEK_CUR) != 0) {
			errno = strcmp(name, "broken.eio") == 0 ? EIO : ENOENT;
			broken_fd = fd;
			return -1;
		}
		size = 200;
	}
	return next(fd, buffer, size);
}
