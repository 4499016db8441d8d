/*
 * Reads the names in a directory by getdents64(2) on Linux and by readdir(3) elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/entry_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
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

/* The place of an entry in the buffer. */
struct entry_place {
	uint64_t key;
	size_t at;
};

#define PLACES_MAX (BUFFER_SIZE / 24) /* an entry has 19 bytes and its name, rounded up to 8 */

int entry_reader_begin(struct entry_reader *reader, int fd)
{
	reader->fd = fd;
	reader->next = reader->count = 0;
	if (reader->buffer == NULL)
		reader->buffer = malloc(BUFFER_SIZE);
	if (reader->places == NULL)
		reader->places = malloc(PLACES_MAX * sizeof *reader->places);
	return reader->buffer == NULL || reader->places == NULL ? -1 : 0;
}

/*
 * Sort the entries in the order of their inodes, after the directories in the reverse order: a walk
 * puts them on a stack and takes the last first.
 */
static uint64_t sort_key(const struct dirent64 *entry)
{
	uint64_t inode = entry->d_ino & INT64_MAX;

	return entry->d_type == DT_DIR ? INT64_MAX - inode : inode | UINT64_C(1) << 63;
}

static int compare_keys(const void *a, const void *b)
{
	const struct entry_place *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Find the entries of the buffer, and sort them. */
static void sort_buffer(struct entry_reader *reader, size_t size)
{
	bool is_sorted = true;

	reader->count = 0;
	for (size_t at = 0; at < size;) {
		const struct dirent64 *found = (const void *)(reader->buffer + at);
		struct entry_place *place = &reader->places[reader->count];
		*place = (struct entry_place){sort_key(found), at};
		at += found->d_reclen;
		if (is_itself_or_above(found->d_name))
			continue;
		is_sorted = is_sorted && (reader->count == 0 || place[-1].key <= place->key);
		reader->count++;
	}
	if (!is_sorted)
		qsort(reader->places, reader->count, sizeof *reader->places, compare_keys);
}

static int fill(struct entry_reader *reader)
{
	ssize_t size = getdents64(reader->fd, reader->buffer, BUFFER_SIZE);

	reader->next = 0;
	sort_buffer(reader, size < 0 ? 0 : (size_t)size);
	return size < 0 ? -1 : size > 0;
}

int entry_reader_next(struct entry_reader *reader, struct entry *entry)
{
	const struct dirent64 *found;

	while (reader->next == reader->count) {
		int status = fill(reader);
		if (status <= 0)
			return status;
	}
	found = (const void *)(reader->buffer + reader->places[reader->next++].at);
	*entry = (struct entry){found->d_name, type_of(found->d_type), (uint64_t)found->d_ino};
	return 1;
}

void entry_reader_end(struct entry_reader *reader)
{
	reader->next = reader->count = 0;
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
	*entry = (struct entry){found->d_name, type_of(found->d_type), (uint64_t)found->d_ino};
#else
	*entry = (struct entry){found->d_name, type_of(0), (uint64_t)found->d_ino};
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
	free(reader->places);
	reader->buffer = NULL;
	reader->places = NULL;
}
