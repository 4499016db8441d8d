/*
 * Reads two files in parallel piece by piece, compares or copies their bytes, and hashes them.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/same_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan/file/content_hash.h"

#define PIECE SAME_BYTES_PIECE
#define WRITTEN_AT_ONCE ((off_t)8 << 20)

_Static_assert(KEEP_HASH_SIZE == CONTENT_HASH_SIZE, "they are of the same content");

/* Read a piece, up to the end of the file. -1 with errno. */
static ssize_t read_piece(int fd, uint8_t *piece, off_t offset)
{
	size_t got = 0;

	while (got < PIECE) {
		ssize_t part = pread(fd, piece + got, PIECE - got, offset + (off_t)got);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -1;
		if (part == 0)
			break;
		got += (size_t)part;
	}
	return (ssize_t)got;
}

/* The buffers and the state of the hash. */
struct byte_reading {
	XXH3_state_t *state;
	uint8_t *pieces; /* two */
	/* Call `goes_on` unless it is NULL. */
	bool (*goes_on)(const void *context);
	const void *context;
	off_t flushed; /* the system writes the bytes before it to the disk */
};

static int reading_begin(struct byte_reading *reading)
{
	*reading = (struct byte_reading){.state = XXH3_createState(), .pieces = malloc(2 * PIECE)};
	if (reading->state != NULL && reading->pieces != NULL) {
		XXH3_128bits_reset(reading->state);
		return 0;
	}
	errno = ENOMEM;
	return -1;
}

static void reading_end(struct byte_reading *reading)
{
	int saved = errno;

	free(reading->pieces);
	XXH3_freeState(reading->state);
	errno = saved;
}

int same_bytes(int x, int y, uint8_t hash[KEEP_HASH_SIZE], bool (*goes_on)(const void *context),
	       const void *context)
{
	struct byte_reading reading;
	int status = reading_begin(&reading);
	ssize_t got_x = 1, got_y;

	for (off_t at = 0; status == 0 && got_x > 0; at += got_x) {
		if (!goes_on(context)) {
			errno = ECANCELED;
			status = -1;
			break;
		}
		got_x = read_piece(x, reading.pieces, at);
		got_y = read_piece(y, reading.pieces + PIECE, at);
		if (got_x < 0 || got_y < 0)
			status = -1;
		else if (got_x != got_y ||
			 memcmp(reading.pieces, reading.pieces + PIECE, (size_t)got_x) != 0)
			status = 1; /* they differ */
		else
			XXH3_128bits_update(reading.state, reading.pieces, (size_t)got_x);
	}
	if (status == 0)
		content_hash_store(reading.state, hash);
	reading_end(&reading);
	return status == 1 ? 0 : status == 0 ? 1 : -1;
}

int is_same_as_bytes(int x, const uint8_t *bytes, size_t size, uint8_t hash[KEEP_HASH_SIZE],
		     bool (*goes_on)(const void *context), const void *context)
{
	struct byte_reading reading;
	int status = reading_begin(&reading);
	size_t at = 0;
	ssize_t got = 1;

	for (; status == 0 && got > 0; at += got > 0 ? (size_t)got : 0) {
		if (!goes_on(context)) {
			errno = ECANCELED;
			status = -1;
			break;
		}
		got = read_piece(x, reading.pieces, (off_t)at);
		if (got < 0)
			status = -1;
		else if ((size_t)got > size - at ||
			 memcmp(reading.pieces, bytes + at, (size_t)got) != 0)
			status = 1; /* they differ */
		else
			XXH3_128bits_update(reading.state, reading.pieces, (size_t)got);
	}
	if (status == 0 && at != size)
		status = 1;
	if (status == 0)
		content_hash_store(reading.state, hash);
	reading_end(&reading);
	return status == 1 ? 0 : status == 0 ? 1 : -1;
}

static int write_piece(int fd, const uint8_t *piece, size_t size, off_t offset)
{
	while (size > 0) {
		ssize_t part = pwrite(fd, piece, size, offset);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -1;
		piece += part;
		size -= (size_t)part;
		offset += part;
	}
	return 0;
}

/*
 * Find the next data and the hole after it. If there are no holes or they are unknown, the hole is
 * at the end.
 */
static void find_data(int fd, off_t at, off_t size, off_t *data, off_t *hole)
{
	*data = at;
	*hole = size;
#if defined SEEK_DATA && defined SEEK_HOLE
	*data = lseek(fd, at, SEEK_DATA);
	if (*data < 0)
		*data = errno == ENXIO ? size : at;
	*hole = *data < size ? lseek(fd, *data, SEEK_HOLE) : size;
	if (*hole < 0 || *hole > size)
		*hole = size;
#else
	(void)fd;
#endif
}

static bool may_go_on(const struct byte_reading *reading)
{
	if (reading->goes_on == NULL || reading->goes_on(reading->context))
		return true;
	errno = ECANCELED;
	return false;
}

/*
 * Let the system write a part to the disk while the next part is copied, and wait for the part
 * before. Errors are found when the complete file is synchronized.
 */
static void flush_part(struct byte_reading *reading, int to, off_t end)
{
	off_t size = end - reading->flushed;

	if (reading->goes_on == NULL || size < WRITTEN_AT_ONCE)
		return;
#ifdef SYNC_FILE_RANGE_WRITE
	sync_file_range(to, reading->flushed, size, SYNC_FILE_RANGE_WRITE);
	if (reading->flushed > 0)
		sync_file_range(to, 0, reading->flushed,
				SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					SYNC_FILE_RANGE_WAIT_AFTER);
#else
	fsync(to);
#endif
	reading->flushed = end;
}

/* Hash a hole as zeros, without writing them. */
static int hash_hole(struct byte_reading *reading, off_t size)
{
	memset(reading->pieces, 0, PIECE);
	for (off_t part; size > 0; size -= part) {
		if (!may_go_on(reading))
			return -1;
		part = size < (off_t)PIECE ? size : (off_t)PIECE;
		XXH3_128bits_update(reading->state, reading->pieces, (size_t)part);
	}
	return 0;
}

/* Copy the data from `at` to the hole. The file may have become shorter. -1 with errno. */
static int copy_data(struct byte_reading *reading, int from, int to, off_t at, off_t hole)
{
	while (at < hole) {
		ssize_t got = may_go_on(reading) ? read_piece(from, reading->pieces, at) : -1;
		if (got > hole - at)
			got = (ssize_t)(hole - at);
		if (got == 0)
			errno = ESTALE;
		if (got <= 0 || (to >= 0 && write_piece(to, reading->pieces, (size_t)got, at) != 0))
			return -1;
		XXH3_128bits_update(reading->state, reading->pieces, (size_t)got);
		at += got;
		if (to >= 0)
			flush_part(reading, to, at);
	}
	return 0;
}

int copy_bytes(int from, int to, uint8_t hash[KEEP_HASH_SIZE])
{
	return copy_bytes_while(from, to, hash, NULL, NULL);
}

int copy_bytes_while(int from, int to, uint8_t hash[KEEP_HASH_SIZE],
		     bool (*goes_on)(const void *context), const void *context)
{
	struct byte_reading reading;
	struct stat opened;
	off_t at = 0, data, hole;
	int status = fstat(from, &opened);

	if (status != 0 || reading_begin(&reading) != 0)
		return -1;
	reading.goes_on = goes_on;
	reading.context = context;
	for (; status == 0 && at < opened.st_size; at = hole) {
		find_data(from, at, opened.st_size, &data, &hole);
		status = hash_hole(&reading, data - at);
		if (status == 0)
			status = copy_data(&reading, from, to, data, hole);
	}
	if (status == 0 && to >= 0)
		status = ftruncate(to, opened.st_size);
	if (status == 0)
		content_hash_store(reading.state, hash);
	reading_end(&reading);
	return status;
}
