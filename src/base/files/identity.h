/*
 * The identity of a file: device, inode, size and times, which show whether it is the same file as
 * one seen before. Also decides whether a file system has lasting inode numbers.
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
	int64_t changed_ns; /* when anything of it changed last, its name too */
	bool has_birth;
	int64_t born_ns; /* when the inode was taken into use */
};

/*
 * Of `name` in a directory, without following a link. -1 with errno. A birth is known only where
 * no program can set it: elsewhere it may be that of a restored backup.
 */
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity);

/* The file system that an entry of a directory belongs to. */
struct entry_device {
	uint64_t number;
	bool is_mount; /* the entry is where it is mounted; false where the system does not say */
};

/*
 * Without asking that file system, on Linux: one that does not answer has a device all the same.
 * Nothing is mounted for it. -1 with errno.
 */
int entry_device_read(int directory_fd, const char *name, bool follow, struct entry_device *device);

/*
 * Has the file system of this descriptor inode numbers that belong to a file as long as it
 * exists? Others make them up when a file is looked up, and give them to another one later.
 */
bool inodes_are_lasting(int fd);

/*
 * Is this a file system whose files the kernel makes up: /proc, /sys and the like? Not one in memory
 * that has files of programs, such as tmpfs.
 */
bool is_kernel_file_system(int fd);

#endif
