/*
 * Splits a file into lines. A long line is returned in pieces, so it takes no more memory than a
 * short one.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MAIL_LINES_H
#define SIMHASH_SCAN_MAIL_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/basic/bytes.h"

#define MAIL_LINES_ROOM ((size_t)64 * 1024)

/* See mail_new. */
typedef ssize_t mail_read_fn(void *context, void *buffer, size_t size);

struct mail_lines {
	mail_read_fn *read;
	void *context;
	uint8_t *buffer; /* has MAIL_LINES_ROOM bytes; owned */
	size_t begin, end;
	bool is_at_end; /* all bytes were read */
	bool is_inside; /* the next bytes continue a line */
};

struct mail_line {
	const char *data;      /* lives until the next call */
	size_t size, end_size; /* the end is "\n", "\r\n", or 0 bytes if the line goes on */
	bool is_start;	       /* the first piece of the line */
	struct bytes after;    /* at least the next 128 bytes, if the file has them */
};

/* -1 if memory is short. */
int mail_lines_begin(struct mail_lines *lines, mail_read_fn *read, void *context);
void mail_lines_release(struct mail_lines *lines);

/* Get the next line, or its next piece. Returns 1, 0 at the end, or -1 if reading failed. */
int mail_lines_peek(struct mail_lines *lines, struct mail_line *line);
/* Go on after this line. */
void mail_lines_take(struct mail_lines *lines, const struct mail_line *line);

#endif
