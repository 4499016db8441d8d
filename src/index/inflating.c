/*
 * gzip files by zlib, several members one after another included.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "index/scan_file.h"

#define READ_BUFFER (128 * 1024)

/* A struct inflating is zlib's own under another name. */
static gzFile file_of(struct inflating *in)
{
	return (gzFile)(void *)in;
}

struct inflating *inflating_new(int fd)
{
	gzFile file = gzdopen(fd, "rb");

	if (file == NULL) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	gzbuffer(file, READ_BUFFER);
	return (struct inflating *)(void *)file;
}

/* What zlib has met, as an errno; 0 when nothing is wrong. */
static int error_of(gzFile file)
{
	int number = Z_OK;

	gzerror(file, &number);
	switch (number) {
	case Z_OK:
	case Z_STREAM_END:
		return 0;
	case Z_ERRNO:
		return errno == 0 ? EIO : errno;
	case Z_MEM_ERROR:
		return ENOMEM;
	default: /* Z_BUF_ERROR: it ends too soon; Z_DATA_ERROR */
		return EBADMSG;
	}
}

ssize_t inflating_read(struct inflating *in, void *buffer, size_t size)
{
	gzFile file = file_of(in);
	int got, problem;

	errno = 0;
	got = gzread(file, buffer, (unsigned)size);
	/* Other files are handed through as they are, and that is not asked for. */
	if (got >= 0 && gzdirect(file)) {
		errno = EILSEQ;
		return -1;
	}
	problem = got <= 0 ? error_of(file) : 0;
	if (got < 0 || problem != 0) {
		errno = problem != 0 ? problem : EIO;
		return -1;
	}
	return got;
}

void inflating_free(struct inflating *in)
{
	gzclose_r(file_of(in));
}
