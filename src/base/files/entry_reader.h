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
 * a buffer that is reused. readdir(3) needs a copy of the descriptor and five more calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ENTRY_READER_H
#define SIMHASH_BASE_ENTRY_READER_H

#include <dirent.h>
#include <stddef.h>

/* All zero before its first use. */
struct entry_reader {
	int fd;
	char *buffer;
	size_t at, end; /* in the buffer: the next entry */
	DIR *stream;	/* where the system has no better way */
};

enum entry_type {
	ENTRY_TYPE_UNKNOWN,
	ENTRY_TYPE_FILE,
	ENTRY_TYPE_DIRECTORY,
	ENTRY_TYPE_LINK,
	ENTRY_TYPE_OTHER
};

struct entry {
	const char *name; /* lives until the next one */
	enum entry_type type;
};

/*
 * Begin with a descriptor from whose directory nothing has been read yet. It is borrowed until the
 * end, and is not to be read from again. 0, or -1 with errno.
 */
int entry_reader_begin(struct entry_reader *reader, int fd);

/*
 * The next entry that is not "." or "..": 1, 0 at the end, -1 with errno. ENOENT is a directory that
 * was removed since it was opened, or a file system that fails so.
 */
int entry_reader_next(struct entry_reader *reader, struct entry *entry);

void entry_reader_end(struct entry_reader *reader); /* even if it did not begin */

void entry_reader_release(struct entry_reader *reader);

#endif
