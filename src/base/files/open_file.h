/*
 * Opens and closes files and streams, and returns their times of change.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_OPEN_FILE_H
#define SIMHASH_BASE_OPEN_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens a directory only to reach what is in it, which takes no right to read it on Linux. */
#ifdef O_PATH
#define OPEN_TO_REACH (O_PATH | O_DIRECTORY)
#else
#define OPEN_TO_REACH (O_RDONLY | O_DIRECTORY)
#endif

/*
 * openat(2), repeated while a signal interrupts it, as network and FUSE file systems allow. The
 * descriptor is closed by exec. -1 with errno. Any thread.
 */
int open_file_at(int directory_fd, const char *path, int flags, mode_t mode);

/* The same as a stream, whose mode is that of fdopen(3). NULL with errno. */
FILE *open_stream(const char *path, int flags, mode_t mode, const char *stream_mode);

/* Opens the directory of a path, only to reach what is in it. *name is the rest of the path. */
int open_parent(const char *path, const char **name);

/*
 * For root, who has just made what `fd` has open in a directory: is the directory another user's,
 * and not open to all for writing? Then give that user and the directory's group what is new, where
 * the file system has owners.
 */
int give_to_owner(int directory_fd, int fd);

/*
 * A path of any length: the kernel takes at most PATH_MAX bytes at once, so a longer one is
 * opened directory by directory in pieces that fit. Without O_CREAT; else as open_file_at.
 */
int open_path(const char *path, int flags);

/* An absolute path of any length, in which no name may be a link: then ENOTDIR or ELOOP. */
int open_path_directly(const char *path, int flags);

/*
 * Close a stream of open_memstream(3) that writes to *text, which the caller frees. Returns -1,
 * with *text freed and NULL, when memory was short.
 */
int close_text(FILE *stream, char **text);

/*
 * Have the system's table of this process's open files be large enough for `count` descriptors, as
 * far as it allows that. A table that grows while several threads run keeps all of them waiting,
 * for hundreds of milliseconds on Linux, so call this before the first thread is started.
 */
void reserve_descriptors(unsigned count);

/*
 * A descriptor that is none of the three standard ones, in the place of one that may be, which is
 * closed. -1 for -1, or with errno.
 */
int descriptor_lift(int fd);

/* close(2) that leaves errno as it is, for the way out after a failure. */
void close_keeping_errno(int fd);

/*
 * Close a file that somebody named, or that was found in a tree; errno stays as it is. Closing any
 * descriptor of a file releases all locks that the process has on it (POSIX), also the locks of
 * SQLite: another process could then delete the log of a database that is in use here. So where the
 * file is a database that the process has open once more, the descriptor stays open until the
 * process ends. Any thread.
 */
void close_content(int fd);

/* Must this descriptor stay open for that reason? For streams, which close theirs. Keeps errno. */
bool must_stay_open(int fd);

/* In nanoseconds since 1970: when the content was changed, and when anything of the file was. */
int64_t stat_mtime_ns(const struct stat *status);
int64_t stat_ctime_ns(const struct stat *status);

#endif
