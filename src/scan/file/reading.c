/*
 * Reads a file, and drops its bytes from the page cache if the system accepts such advice.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#define ADVICE_FROM (INT64_C(1) << 20) /* the file size from which advice is worth a system call */
#define DROP_FROM (INT64_C(64) << 20) /* the file size that would displace much of the page cache */
#define DROP_STEP (INT64_C(8) << 20)

/* Is some of the file already in the page cache? If unknown, yes. */
static bool is_cached(int fd, int64_t size_bytes)
{
#ifdef RWF_NOWAIT
	for (int i = 0; i < 4; i++) {
		char byte;
		struct iovec one = {&byte, 1};
		if (preadv2(fd, &one, 1, size_bytes / 4 * i, RWF_NOWAIT) != -1 || errno != EAGAIN)
			return true;
	}
	return false;
#else
	(void)fd;
	(void)size_bytes;
	return true;
#endif
}

void reading_begin(struct reading *reading, int fd, int64_t size_bytes)
{
	*reading = (struct reading){.fd = fd};
#ifdef POSIX_FADV_SEQUENTIAL
	if (size_bytes >= ADVICE_FROM)
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	reading->drops_behind = size_bytes >= DROP_FROM && !is_cached(fd, size_bytes);
}

ssize_t reading_at(const struct reading *reading, int64_t offset, void *buffer, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = pread(reading->fd, (char *)buffer + have, size - have,
				    (off_t)(offset + (int64_t)have));
		if (got > 0)
			have += (size_t)got;
		else if (got == 0)
			break;
		else if (errno != EINTR || (reading->stop != NULL && atomic_load(reading->stop)))
			return -1;
	}
	return (ssize_t)have;
}

void reading_is_done(struct reading *reading, int64_t offset)
{
	if (!reading->drops_behind || offset - reading->dropped < DROP_STEP)
		return;
#ifdef POSIX_FADV_DONTNEED
	posix_fadvise(reading->fd, reading->dropped, offset - reading->dropped,
		      POSIX_FADV_DONTNEED);
#endif
	reading->dropped = offset;
}
