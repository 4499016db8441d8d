/*
 * Inflates gzip files with zlib, also files with several members. It uses inflate(), because
 * gzread() loses data when a read is interrupted.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/inflating.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files/open_file.h"

#define READ_BUFFER (128 * 1024)
#define GZIP_WINDOW_BITS (15 + 16) /* 16 makes zlib expect gzip's header and trailer */

struct inflating {
	int fd; /* the file, or -1 */
	inflating_source *read;
	void *context;
	int64_t taken; /* the number of bytes taken from the source */
	bool in_member, had_member, at_end;
	int failed_errno; /* an errno that is reported after the bytes before the failure; or 0 */
	z_stream stream;
	unsigned char input[READ_BUFFER];
};

static ssize_t read_descriptor(void *context, void *buffer, size_t size)
{
	const struct inflating *in = context;
	ssize_t got;

	do
		got = read(in->fd, buffer, size);
	while (got < 0 && errno == EINTR);
	return got;
}

struct inflating *inflating_new_from(inflating_source *read, void *context)
{
	struct inflating *in = calloc(1, sizeof *in);

	if (in == NULL || inflateInit2(&in->stream, GZIP_WINDOW_BITS) != Z_OK) {
		free(in);
		errno = ENOMEM;
		return NULL;
	}
	in->fd = -1;
	in->read = read;
	in->context = context;
	return in;
}

struct inflating *inflating_new(int fd)
{
	struct inflating *in = inflating_new_from(read_descriptor, NULL);

	if (in == NULL) {
		close_content(fd);
		errno = ENOMEM;
		return NULL;
	}
	in->fd = fd;
	in->context = in;
	return in;
}

/* Read until at least `wanted` bytes wait to be inflated or the file ends. -1 with errno. */
static int fill(struct inflating *in, unsigned wanted)
{
	while (in->stream.avail_in < wanted) {
		ssize_t got;
		if (in->stream.avail_in == 0)
			in->stream.next_in = in->input;
		got = in->read(in->context, in->stream.next_in + in->stream.avail_in,
			       (size_t)(in->input + READ_BUFFER - in->stream.next_in) -
				       in->stream.avail_in);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		in->stream.avail_in += (unsigned)got;
		in->taken += got;
	}
	return 0;
}

/* Begin the next member, or end: like gzip, ignore bytes after the last member. */
static int begin_member(struct inflating *in)
{
	const unsigned char *next;

	/* Only the first byte is left, at the end of the buffer: make room for the second. */
	if (in->stream.avail_in == 1 && in->stream.next_in == in->input + READ_BUFFER - 1) {
		in->input[0] = *in->stream.next_in;
		in->stream.next_in = in->input;
	}
	if (fill(in, 2) != 0)
		return -1;
	next = in->stream.next_in;
	if (in->stream.avail_in < 2 || next[0] != 0x1f || next[1] != 0x8b) {
		in->at_end = true;
		if (in->had_member)
			return 0;
		errno = EILSEQ;
		return -1;
	}
	in->in_member = in->had_member = true;
	return inflateReset(&in->stream) == Z_OK ? 0 : -1;
}

/* Inflate into the remaining room. -1 with errno. */
static int inflate_some(struct inflating *in)
{
	int code;

	if (fill(in, 1) != 0)
		return -1;
	code = in->stream.avail_in == 0 ? Z_BUF_ERROR : inflate(&in->stream, Z_NO_FLUSH);
	if (code == Z_STREAM_END)
		in->in_member = false;
	else if (code != Z_OK) {
		/* Z_BUF_ERROR: the file is cut off; Z_DATA_ERROR, Z_NEED_DICT: it is damaged */
		errno = code == Z_MEM_ERROR ? ENOMEM : EBADMSG;
		return -1;
	}
	return 0;
}

ssize_t inflating_read(struct inflating *in, void *buffer, size_t size)
{
	in->stream.next_out = buffer;
	in->stream.avail_out = (unsigned)size;
	while (in->stream.avail_out > 0 && !in->at_end && in->failed_errno == 0) {
		int status = in->in_member ? inflate_some(in) : begin_member(in);
		if (status != 0)
			in->failed_errno = errno;
	}
	if (in->stream.avail_out < size || in->failed_errno == 0)
		return (ssize_t)(size - in->stream.avail_out);
	errno = in->failed_errno;
	return -1;
}

int64_t inflating_end(const struct inflating *in)
{
	return in->taken - in->stream.avail_in;
}

int inflating_has_rest(struct inflating *in)
{
	int status;

	while ((status = fill(in, 1)) == 0 && in->stream.avail_in > 0) {
		for (; in->stream.avail_in > 0; in->stream.avail_in--)
			if (*in->stream.next_in++ != 0)
				return 1;
	}
	return status;
}

void inflating_free(struct inflating *in)
{
	if (in == NULL)
		return;
	inflateEnd(&in->stream);
	if (in->fd >= 0)
		close_content(in->fd);
	free(in);
}
