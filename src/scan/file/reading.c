/*
 * Reads a file without its holes, and drops its bytes from the page cache if the system accepts such
 * advice.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/files/open_file.h"
#include "scan/file/outcome.h"

#define ADVICE_FROM (INT64_C(1) << 20) /* the file size from which advice is worth a system call */
#define DROP_FROM (INT64_C(64) << 20) /* the file size that would displace much of the page cache */
#define DROP_STEP (INT64_C(8) << 20)

#ifdef RWF_NOWAIT
/* Read only from the page cache. -1 with EAGAIN: the first byte is not there. */
static ssize_t read_cached(int fd, int64_t offset, void *buffer, size_t size)
{
	struct iovec one = {buffer, size};

	return preadv2(fd, &one, 1, offset, RWF_NOWAIT);
}
#else
static ssize_t read_cached(int fd, int64_t offset, void *buffer, size_t size)
{
	(void)fd, (void)offset, (void)buffer, (void)size;
	errno = EOPNOTSUPP;
	return -1;
}
#endif

/* Is some of a large file already in the page cache? If unknown, yes. */
static bool is_cached(int fd, int64_t size_bytes)
{
	char byte;

	for (int i = 0; i < 4; i++)
		if (read_cached(fd, size_bytes / 4 * i, &byte, 1) >= 0 || errno != EAGAIN)
			return true;
	return false;
}

void reading_begin(struct reading *reading, int fd, int64_t size_bytes)
{
	*reading = (struct reading){.fd = fd, .is_known = size_bytes == 0, .was_cached = true};
	if (size_bytes < ADVICE_FROM)
		return;
#ifdef POSIX_FADV_SEQUENTIAL
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	reading->is_known = true;
	reading->was_cached = is_cached(fd, size_bytes);
	reading->drops_behind = size_bytes >= DROP_FROM && !reading->was_cached;
}

/* A small file costs no further system call if it is cached. */
ssize_t reading_first(struct reading *reading, void *buffer, size_t size)
{
	ssize_t got = 0, more;

	if (!reading->is_known && size > 0) {
		got = read_cached(reading->fd, 0, buffer, size);
		reading->is_known = true;
		reading->was_cached = got >= 0 || errno != EAGAIN;
		if (got == (ssize_t)size)
			return got;
		got = got < 0 ? 0 : got;
	}
	more = reading_at(reading, got, (char *)buffer + got, size - (size_t)got);
	return more < 0 ? -1 : got + more;
}

/* ---- Holes ---- */

#if defined SEEK_DATA && defined SEEK_HOLE
/* Return the number of bytes at `offset` that are in a hole, at most `size`. */
static size_t hole_size(const struct reading *reading, int64_t offset, size_t size)
{
	off_t data;

	if (!reading->has_holes || offset + (int64_t)size <= reading->first_hole)
		return 0;
	data = lseek(reading->fd, offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO) /* the file has no data from here on, or ends before this */
		data = lseek(reading->fd, 0, SEEK_END);
	return data <= offset ? 0 : data - offset < (off_t)size ? (size_t)(data - offset) : size;
}

/* Return the number of bytes at `offset`, which are not in a hole, before the next hole. */
static size_t data_size(const struct reading *reading, int64_t offset, size_t size)
{
	off_t hole;

	if (!reading->has_holes || offset + (int64_t)size <= reading->first_hole)
		return size;
	hole = lseek(reading->fd, offset, SEEK_HOLE);
	return hole <= offset || hole - offset > (off_t)size ? size : (size_t)(hole - offset);
}

void reading_find_holes(struct reading *reading, int64_t size_bytes)
{
	if (size_bytes < ADVICE_FROM)
		return;
	reading->first_hole = lseek(reading->fd, 0, SEEK_HOLE);
	/* Each file ends with a hole. */
	reading->has_holes = reading->first_hole >= 0 && reading->first_hole < size_bytes;
}
#else
static size_t hole_size(const struct reading *reading, int64_t offset, size_t size)
{
	(void)reading, (void)offset, (void)size;
	return 0;
}

static size_t data_size(const struct reading *reading, int64_t offset, size_t size)
{
	(void)reading, (void)offset;
	return size;
}

void reading_find_holes(struct reading *reading, int64_t size_bytes)
{
	(void)reading, (void)size_bytes;
}
#endif

const uint8_t *reading_hole(const struct reading *reading, int64_t offset, size_t size)
{
	/* Nobody writes to it, so all of its pages are one page of the system, which stays in the
	   first-level cache. */
	static uint8_t zeros[FILE_SCANNER_ROOM];

	return size > 0 && hole_size(reading, offset, size) == size ? zeros : NULL;
}

/* ---- Around the page cache ---- */

static void drop(int fd, int64_t from, int64_t size)
{
#ifdef POSIX_FADV_DONTNEED
	posix_fadvise(fd, from, size, POSIX_FADV_DONTNEED);
#else
	(void)fd, (void)from, (void)size;
#endif
}

#ifdef O_DIRECT
static bool is_direct(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_DIRECT) != 0;
}

/* Returns false if the file system cannot read directly. */
static bool set_direct(int fd, bool direct)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}
#else
static bool is_direct(int fd)
{
	(void)fd;
	return false;
}

static bool set_direct(int fd, bool direct)
{
	(void)fd, (void)direct;
	return false;
}
#endif

bool reading_fills_cache(int fd)
{
	return !is_direct(fd);
}

void reading_begin_around(struct reading *reading, int fd, int64_t size_bytes)
{
	*reading = (struct reading){.fd = fd, .is_known = true, .is_around = true};
	reading_find_holes(reading, size_bytes);
	if (set_direct(fd, true))
		return;
	drop(fd, 0, 0);
#ifdef POSIX_FADV_SEQUENTIAL
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

/*
 * After EINVAL: some file systems accept the flag, but cannot read every file or place directly. Read
 * the rest of the file through the cache, without the pages that are there.
 */
static bool can_read_again(const struct reading *reading)
{
	if (!reading->is_around || !is_direct(reading->fd) || !set_direct(reading->fd, false))
		return false;
	drop(reading->fd, 0, 0);
	return true;
}

/* A direct read takes whole sectors. It must not begin after the end of the file. */
#define SECTOR 512
static size_t whole_sectors(size_t size, size_t max)
{
	size = (size + SECTOR - 1) / SECTOR * SECTOR;
	return size < max ? size : max;
}

/* ---- Reading ---- */

ssize_t reading_at(const struct reading *reading, int64_t offset, void *buffer, size_t size)
{
	size_t have = 0, data;

	while (have < size) {
		int64_t at = offset + (int64_t)have;
		size_t hole = hole_size(reading, at, size - have);
		ssize_t got;
		if (hole > 0) {
			memset((char *)buffer + have, 0, hole);
			have += hole;
			continue;
		}
		data = data_size(reading, at, size - have);
		if (reading->is_around)
			data = whole_sectors(data, size - have);
		got = pread(reading->fd, (char *)buffer + have, data, (off_t)at);
		if (got > 0)
			have += (size_t)got;
		if (got == 0 || (got > 0 && reading->is_around && got % SECTOR != 0))
			break;
		if (got > 0 || (errno == EINVAL && can_read_again(reading)))
			continue;
		if (errno != EINTR || (reading->stop != NULL && atomic_load(reading->stop)))
			return -1;
	}
	return (ssize_t)have;
}

void reading_is_done(struct reading *reading, int64_t offset)
{
	if (!reading->drops_behind || offset - reading->dropped < DROP_STEP)
		return;
	drop(reading->fd, reading->dropped, offset - reading->dropped);
	reading->dropped = offset;
}

void reading_close(int fd, bool drops)
{
	bool stays = must_stay_open(fd); /* this reads its first bytes */
	int saved = errno;

	if (drops)
		drop(fd, 0, 0);
	errno = saved;
	if (!stays)
		close_keeping_errno(fd);
}
