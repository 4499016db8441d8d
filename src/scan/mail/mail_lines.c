/*
 * Splits a file into lines in a buffer of a fixed size.
 * SPDX-License-Identifier: MIT
 */
#include "scan/mail/mail_lines.h"

#include <errno.h>
#include <stdlib.h>

#define AFTER ((size_t)128) /* the bytes after a line that a caller can see */

int mail_lines_begin(struct mail_lines *lines, mail_read_fn *read, void *context)
{
	*lines = (struct mail_lines){
		.read = read, .context = context, .buffer = malloc(MAIL_LINES_ROOM)};
	if (lines->buffer != NULL)
		return 0;
	errno = ENOMEM;
	return -1;
}

void mail_lines_release(struct mail_lines *lines)
{
	free(lines->buffer);
}

/* Move the rest to the beginning of the buffer, and fill the buffer. -1 if reading failed. */
static int fill(struct mail_lines *lines)
{
	memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	while (!lines->is_at_end && lines->end < MAIL_LINES_ROOM) {
		ssize_t got = lines->read(lines->context, lines->buffer + lines->end,
					  MAIL_LINES_ROOM - lines->end);
		if (got < 0)
			return -1;
		lines->is_at_end = got == 0;
		lines->end += (size_t)got;
	}
	return 0;
}

static const uint8_t *find_end(const struct mail_lines *lines)
{
	return memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin);
}

int mail_lines_peek(struct mail_lines *lines, struct mail_line *line)
{
	const uint8_t *start, *end = find_end(lines);
	size_t size;

	if (!lines->is_at_end &&
	    (end == NULL || (size_t)(lines->buffer + lines->end - end) <= AFTER)) {
		if (fill(lines) != 0)
			return -1;
		end = find_end(lines);
	}
	start = lines->buffer + lines->begin;
	size = end != NULL ? (size_t)(end - start) : lines->end - lines->begin;
	if (end == NULL && size == 0)
		return 0;
	*line = (struct mail_line){.data = (const char *)start,
				   .size = size,
				   .end_size = end != NULL,
				   .is_start = !lines->is_inside};
	/* The two bytes of an end stay together. */
	if (size > 0 && start[size - 1] == '\r' && (end != NULL || !lines->is_at_end)) {
		line->size--;
		line->end_size += end != NULL;
	}
	size = line->size + line->end_size;
	line->after = (struct bytes){line->data + size, lines->end - lines->begin - size};
	return 1;
}

void mail_lines_take(struct mail_lines *lines, const struct mail_line *line)
{
	lines->begin += line->size + line->end_size;
	lines->is_inside = line->end_size == 0;
}
