/*
 * Opens and closes files and streams, and returns file times.
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

/* Opens a directory only to reach its entries. On Linux this needs no permission to read it. */
#ifdef O_PATH
#define OPEN_TO_REACH (O_PATH | O_DIRECTORY)
#else
#define OPEN_TO_REACH (O_RDONLY | O_DIRECTORY)
#endif

/*
 * Call openat(2), and repeat it when a signal interrupts it, which network and FUSE file systems
 * allow. exec closes the descriptor. A file that is opened only for reading keeps its access time,
 * if the system allows this. -1 with errno. Any thread may call this.
 */
int open_file_at(int directory_fd, const char *path, int flags, mode_t mode);

/*
 * The same for a file that is known to be of another user, whose access time only root can keep. It
 * saves an attempt, which takes as long as opening a file.
 */
int open_others_file_at(int directory_fd, const char *path, int flags);

/* Is this file of another user, and is this user not root? */
bool is_others_file(const struct stat *status);

/* Like open_file_at, but a stream, with a mode of fdopen(3). NULL with errno. */
FILE *open_stream(const char *path, int flags, mode_t mode, const char *stream_mode);

/* Open the directory of a path, only to reach its entries. *name is the rest of the path. */
int open_parent(const char *path, const char **name);

/*
 * For root after it made the file `fd` in a directory: if the directory belongs to another user and
 * not everybody may write to it, give the file to this user and to the directory's group. Does
 * nothing if the file system has no owners.
 */
int give_to_owner(int directory_fd, int fd);

/*
 * Open a path of any length. The kernel takes at most PATH_MAX bytes at once, so a longer path is
 * opened directory by directory in pieces that fit. O_CREAT is not allowed; otherwise like
 * open_file_at.
 */
int open_path(const char *path, int flags);

/* Open an absolute path of any length. If a name in it is a link, fail with ENOTDIR or ELOOP. */
int open_path_directly(const char *path, int flags);

/*
 * Close a stream of open_memstream(3) that writes to *text. The caller frees *text. If memory was
 * short, free *text, set it to NULL and return -1.
 */
int close_text(FILE *stream, char **text);

/*
 * Enlarge this process's table of open files for `count` descriptors, as far as the system allows.
 * If the table grows while several threads run, Linux stops all of them for hundreds of
 * milliseconds. So call this before the first thread starts.
 */
void reserve_descriptors(unsigned count);

/*
 * Return a descriptor that is none of the three standard ones. If `fd` is one of them, duplicate it
 * and close it. -1 for -1, or with errno.
 */
int descriptor_lift(int fd);

/* Call close(2) and keep errno, for the cleanup after a failure. */
void close_keeping_errno(int fd);

/*
 * Close a file that a user named or that was found in a tree, and keep errno. When a process closes
 * any descriptor of a file, it loses all its locks on this file (POSIX), also the locks of SQLite.
 * Another process could then delete the log of a database that is in use here. So if the file is a
 * database that the process has open a second time, the descriptor stays open until the process
 * ends. Any thread may call this.
 */
void close_content(int fd);

/*
 * Returns true if this descriptor must stay open for that reason. For streams, which close their
 * descriptor. Keeps errno.
 */
bool must_stay_open(int fd);

/*
 * Times in nanoseconds since 1970: the last change of the content, and the last change of anything.
 */
int64_t stat_mtime_ns(const struct stat *status);
int64_t stat_ctime_ns(const struct stat *status);

#endif
