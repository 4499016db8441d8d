/*
 * Reads the names in an open directory:
 *
 *     struct entry_reader reader = {0};
 *     if (entry_reader_begin(&reader, fd) != 0)
 *             ... errno
 *     while ((status = entry_reader_next(&reader, &entry)) == 1)
 *             use(entry.name, entry.type);
 *     entry_reader_end(&reader);
 *     ... begin with others
 *     entry_reader_release(&reader);
 *
 * On Linux a directory takes as few system calls as possible: the descriptor is read directly, into
 * a buffer that is reused. readdir(3) needs a copy of the descriptor and five more calls. The entries
 * in one buffer, some 2,000, come in the order of their inodes, which is their order on the disk: to
 * read their status then takes fewer seeks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ENTRY_READER_H
#define SIMHASH_BASE_ENTRY_READER_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

struct entry_place;

/* Set all fields to 0 before the first use. */
struct entry_reader {
	int fd;
	char *buffer;
	struct entry_place *places; /* of the entries in the buffer */
	size_t next, count;	    /* in `places` */
	DIR *stream;		    /* used if the system has no better function */
};

enum entry_type {
	ENTRY_TYPE_UNKNOWN,
	ENTRY_TYPE_FILE,
	ENTRY_TYPE_DIRECTORY,
	ENTRY_TYPE_LINK,
	ENTRY_TYPE_OTHER
};

struct entry {
	const char *name; /* lives until the next entry is read */
	enum entry_type type;
	/*
	 * For a name where something is mounted, the inode below the mount. Some file systems give
	 * other numbers than stat(2).
	 */
	uint64_t inode;
};

/*
 * Begin with a directory descriptor from which nothing was read. The descriptor is borrowed until
 * the end, and cannot be read again. Returns 0, or -1 with errno.
 */
int entry_reader_begin(struct entry_reader *reader, int fd);

/*
 * Get the next entry except "." and "..". Returns 1, 0 at the end, or -1 with errno. ENOENT means
 * that the directory was removed after it was opened, or that the file system fails in this way.
 */
int entry_reader_next(struct entry_reader *reader, struct entry *entry);

void entry_reader_end(struct entry_reader *reader); /* also allowed if entry_reader_begin failed */

void entry_reader_release(struct entry_reader *reader);

#endif
