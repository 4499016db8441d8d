/*
 * Searches files for archives after programs and other bytes. A match must have a correct checksum
 * or consistent offsets, because many programs contain the first bytes of archives as constants.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/container_behind.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/basic/byte_order.h"
#include "scan/file/container_kind.h"
#include "scan/file/reading.h"

#define ZIP_END_SIZE 22
#define ZIP_COMMENT_MAX 65535
/* Libarchive looks for the end of the list in this many bytes. */
#define ZIP_TAIL ((size_t)16 << 10)
#define ZIP64_LOCATOR_SIZE 20
#define PROGRAM_MAX (INT64_C(2) << 20) /* a 7z or rar file is looked for in this many bytes */
#define EWF_SECTION_SIZE 76
#define OVERLAP ((size_t)256) /* bytes that suffice to check a match */

/* A file that is searched. If a read failed, the file may still have an archive. */
struct searched {
	struct reading reading;
	int failed_errno; /* the errno of the last failed read, or 0 */
};

static ssize_t read_at(struct searched *file, int64_t offset, void *buffer, size_t size)
{
	ssize_t got = reading_at(&file->reading, offset, buffer, size);

	if (got < 0)
		file->failed_errno = errno;
	return got;
}

static unsigned le(const uint8_t *bytes, unsigned size)
{
	return (unsigned)read_little_endian(bytes, size);
}

/* ---- Zip files ---- */

/* The last volume of a zip file has the list of members, with the number of the volume. */
static bool is_volume_end(const uint8_t *end, size_t size)
{
	unsigned number = le(end + 4, 2);

	return memcmp(end, "PK\5\6", 4) == 0 && le(end + 20, 2) == size - ZIP_END_SIZE &&
	       number != 0 && number != 0xffff && le(end + 6, 2) <= number;
}

/* Is this the end of the list of members, `at` bytes from the beginning of the file? */
static bool is_zip_end(struct searched *file, int64_t at, const uint8_t *end, size_t size)
{
	uint8_t before[ZIP64_LOCATOR_SIZE], first[4];
	unsigned list_size = le(end + 12, 4), comment_size = le(end + 20, 2);

	if (memcmp(end, "PK\5\6", 4) != 0 || comment_size > size - ZIP_END_SIZE)
		return false;
	if (le(end + 4, 2) != 0) /* the last of several volumes, with nothing after it */
		return is_volume_end(end, size);
	if (read_at(file, at - ZIP64_LOCATOR_SIZE, before, sizeof before) == sizeof before &&
	    memcmp(before, "PK\6\7", 4) == 0)
		return true;
	return list_size > 0 && (int64_t)list_size + le(end + 16, 4) <= at &&
	       read_at(file, at - list_size, first, sizeof first) == sizeof first &&
	       memcmp(first, "PK\1\2", 4) == 0;
}

/*
 * Is the end of the list among the last `size` bytes of the file? A comment and other bytes may
 * follow it.
 */
static bool has_zip_end(struct searched *file, int64_t file_size, size_t size, uint8_t *buffer)
{
	ssize_t got;

	if (file_size < (int64_t)size)
		size = (size_t)file_size;
	got = read_at(file, file_size - (int64_t)size, buffer, size);
	if (got != (ssize_t)size || size < ZIP_END_SIZE)
		return false;
	for (size_t at = size - ZIP_END_SIZE + 1; at-- > 0;)
		if (buffer[at] == 'P' &&
		    is_zip_end(file, file_size - (int64_t)(size - at), buffer + at, size - at))
			return true;
	return false;
}

/* ---- 7z and rar files ---- */

static bool is_7z(const uint8_t *head)
{
	return memcmp(head, "7z\xbc\xaf\x27\x1c", 6) == 0 && head[6] == 0 &&
	       crc32(0, head + 12, 20) == le(head + 8, 4);
}

static bool is_rar(const uint8_t *head)
{
	unsigned size;

	if (memcmp(head, "Rar!\x1a\7", 6) != 0)
		return false;
	if (head[6] == 0) {
		size = le(head + 12, 2);
		return size >= 7 && size <= OVERLAP - 7 &&
		       (crc32(0, head + 9, size - 2) & 0xffff) == le(head + 7, 2);
	}
	/* The size of the header is a number of one byte, and excludes this byte. */
	size = head[12];
	return head[6] == 1 && head[7] == 0 && size < 0x80 &&
	       crc32(0, head + 12, size + 1) == le(head + 8, 4);
}

static unsigned kind_at(const uint8_t *head, unsigned kinds)
{
	unsigned kind = is_7z(head) ? CONTAINER_7Z : is_rar(head) ? CONTAINER_RAR : 0;

	return kind & kinds;
}

/*
 * Find the first archive in these bytes. Their last OVERLAP bytes are searched again with the next
 * bytes.
 */
static unsigned find_in(const uint8_t *bytes, size_t size, unsigned kinds, size_t *at)
{
	unsigned kind = 0;

	for (*at = 0; *at + OVERLAP <= size; ++*at)
		if ((bytes[*at] == '7' || bytes[*at] == 'R') &&
		    (kind = kind_at(bytes + *at, kinds)) != 0)
			break;
	return kind;
}

static unsigned find_behind_program(struct searched *file, unsigned kinds, uint8_t *buffer,
				    int64_t *begin)
{
	size_t step = CONTAINER_BEHIND_ROOM - OVERLAP, at;
	ssize_t got = (ssize_t)CONTAINER_BEHIND_ROOM;

	for (int64_t from = 0; from < PROGRAM_MAX && got == (ssize_t)CONTAINER_BEHIND_ROOM;
	     from += (int64_t)step) {
		unsigned kind;
		got = read_at(file, from, buffer, CONTAINER_BEHIND_ROOM);
		if (got <= 0)
			break;
		memset(buffer + got, 0, CONTAINER_BEHIND_ROOM - (size_t)got);
		kind = find_in(buffer, CONTAINER_BEHIND_ROOM, kinds, &at);
		if (kind != 0) {
			*begin = from + (int64_t)at;
			return kind;
		}
	}
	return 0;
}

static bool is_program(struct searched *file)
{
	uint8_t head[4];

	return read_at(file, 0, head, sizeof head) == sizeof head &&
	       (memcmp(head, "MZ", 2) == 0 || memcmp(head, "\x7f\x45LF", 4) == 0 ||
		memcmp(head, "#!", 2) == 0);
}

int container_behind(int fd, unsigned kinds, void *buffer, size_t room, unsigned *kind,
		     int64_t *begin)
{
	struct searched file = {.reading = {.fd = fd}};
	struct stat status;
	int64_t ignored;
	bool has_program;

	if (begin == NULL)
		begin = &ignored;
	*begin = 0;
	*kind = 0;
	if ((kinds & (CONTAINER_ZIP | CONTAINER_7Z | CONTAINER_RAR)) == 0 ||
	    room < CONTAINER_BEHIND_ROOM)
		return 0;
	if (fstat(fd, &status) != 0)
		return -1;
	has_program = is_program(&file);
	if ((kinds & CONTAINER_ZIP) != 0 &&
	    has_zip_end(&file, status.st_size,
			has_program ? ZIP_END_SIZE + ZIP_COMMENT_MAX : ZIP_TAIL, buffer))
		*kind = CONTAINER_ZIP;
	else if (has_program)
		*kind = find_behind_program(&file, kinds, buffer, begin);
	errno = file.failed_errno;
	return *kind == 0 && file.failed_errno != 0 ? -1 : 0;
}

/* Also finds a list that is followed by a comment of some KB. */
static bool is_last_zip_volume(struct searched *file, int64_t file_size)
{
	uint8_t tail[4096];
	size_t size = file_size < (int64_t)sizeof tail ? (size_t)file_size : sizeof tail;

	if (read_at(file, file_size - (int64_t)size, tail, size) != (ssize_t)size)
		return false;
	for (size_t at = 0; at + ZIP_END_SIZE <= size; at++)
		if (is_volume_end(tail + at, size - at))
			return true;
	return false;
}

/* The last section of a file has the type "next", or, in the last file, "done". */
static bool has_next_ewf_volume(struct searched *file, int64_t file_size)
{
	uint8_t section[EWF_SECTION_SIZE];

	return read_at(file, file_size - EWF_SECTION_SIZE, section, sizeof section) ==
		       sizeof section &&
	       memcmp(section, "next", 5) == 0;
}

int container_file_is_volume(int fd, unsigned kind, int64_t begin, int64_t file_size)
{
	struct searched file = {.reading = {.fd = fd}};
	uint8_t head[64];
	ssize_t got = read_at(&file, begin, head, sizeof head);
	bool is_volume = (got > 0 && container_is_volume(kind, head, (size_t)got)) ||
			 (kind == CONTAINER_ZIP && is_last_zip_volume(&file, file_size)) ||
			 (kind == CONTAINER_EWF && has_next_ewf_volume(&file, file_size));

	errno = file.failed_errno;
	return !is_volume && file.failed_errno != 0 ? -1 : is_volume;
}
