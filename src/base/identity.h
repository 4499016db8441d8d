/*
 * What the system knows of a file that tells whether it is the same as one seen before.
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

/*
 * Has the file system of this descriptor inode numbers that belong to a file as long as it
 * exists? Others make them up when a file is looked up, and give them to another one later.
 */
bool inodes_are_lasting(int fd);

#endif
