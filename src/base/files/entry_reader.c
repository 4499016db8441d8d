/*
 * Reads the names in a directory by getdents64(2) on Linux and by readdir(3) elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/entry_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/open_file.h"

static enum entry_type type_of(unsigned char type)
{
#ifdef DT_UNKNOWN
	switch (type) {
	case DT_UNKNOWN:
		return ENTRY_TYPE_UNKNOWN;
	case DT_REG:
		return ENTRY_TYPE_FILE;
	case DT_DIR:
		return ENTRY_TYPE_DIRECTORY;
	case DT_LNK:
		return ENTRY_TYPE_LINK;
	default:
		return ENTRY_TYPE_OTHER;
	}
#else
	(void)type;
	return ENTRY_TYPE_UNKNOWN;
#endif
}

static int is_itself_or_above(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

#ifdef __linux__

/*
 * Large enough to read most directories in one call, and small enough for the second-level cache.
 */
#define BUFFER_SIZE 65536

int entry_reader_begin(struct entry_reader *reader, int fd)
{
	reader->fd = fd;
	reader->at = reader->end = 0;
	if (reader->buffer == NULL)
		reader->buffer = malloc(BUFFER_SIZE);
	return reader->buffer == NULL ? -1 : 0;
}

static int fill(struct entry_reader *reader)
{
	ssize_t size = getdents64(reader->fd, reader->buffer, BUFFER_SIZE);

	reader->at = 0;
	reader->end = size < 0 ? 0 : (size_t)size;
	return size < 0 ? -1 : size > 0;
}

int entry_reader_next(struct entry_reader *reader, struct entry *entry)
{
	const struct dirent64 *found;

	do {
		int status = reader->at < reader->end ? 1 : fill(reader);
		if (status <= 0)
			return status;
		found = (const void *)(reader->buffer + reader->at);
		reader->at += found->d_reclen;
	} while (is_itself_or_above(found->d_name));
	*entry = (struct entry){found->d_name, type_of(found->d_type)};
	return 1;
}

void entry_reader_end(struct entry_reader *reader)
{
	reader->at = reader->end = 0;
}

#else

int entry_reader_begin(struct entry_reader *reader, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	reader->stream = copy < 0 ? NULL : fdopendir(copy);
	if (reader->stream == NULL && copy >= 0)
		close_keeping_errno(copy);
	return reader->stream == NULL ? -1 : 0;
}

int entry_reader_next(struct entry_reader *reader, struct entry *entry)
{
	const struct dirent *found;

	do {
		errno = 0;
		found = readdir(reader->stream);
		if (found == NULL)
			return errno == 0 ? 0 : -1;
	} while (is_itself_or_above(found->d_name));
#ifdef DT_UNKNOWN
	*entry = (struct entry){found->d_name, type_of(found->d_type)};
#else
	*entry = (struct entry){found->d_name, type_of(0)};
#endif
	return 1;
}

void entry_reader_end(struct entry_reader *reader)
{
	if (reader->stream != NULL)
		closedir(reader->stream);
	reader->stream = NULL;
}

#endif

void entry_reader_release(struct entry_reader *reader)
{
	entry_reader_end(reader);
	free(reader->buffer);
	reader->buffer = NULL;
}
