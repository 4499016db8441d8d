/*
 * Reads the identity of a file: device, inode, size and times, which show whether it is the same
 * file as before. Also decides whether a file system has lasting inode numbers.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_IDENTITY_H
#define SIMHASH_BASE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct file_identity {
	bool is_regular;
	uint64_t device, inode, links;
	int64_t size_bytes, mtime_ns;
	int64_t changed_ns; /* the last change of content, attributes or name */
	bool has_birth;
	int64_t born_ns; /* when the inode was allocated */
};

/*
 * Read the identity of `name` in a directory, without following a link. -1 with errno. The birth
 * time is known only on systems where programs cannot set it; on other systems it may come from a
 * restored backup.
 */
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity);

/* The file system of a directory entry. */
struct entry_device {
	uint64_t number;
	bool is_mount; /* the entry is a mount point; false if the system does not say */
};

/*
 * Read the device without a request to the file system on Linux, so this works even if the file
 * system does not answer. No file system is mounted automatically. -1 with errno.
 */
int entry_device_read(int directory_fd, const char *name, bool follow, struct entry_device *device);

/*
 * Returns true if the file system of this descriptor gives a file one inode number for its whole
 * life. Other file systems make up a number when a file is looked up, and reuse it for another
 * file.
 */
bool inodes_are_lasting(int fd);

/*
 * Returns true if the file system may show files that another one also shows: a file system of FUSE,
 * an overlay, or a network file system.
 */
bool shows_other_files(const char *path);

/*
 * Returns true if the kernel makes up the files of this file system (/proc, /sys and others). File
 * systems in memory with files of programs, such as tmpfs, are not among them.
 */
bool is_kernel_file_system(int fd);

#endif
