/*
 * Splits the bytes of a list into lines and counts the lines.
 * SPDX-License-Identifier: MIT
 */
#include "lists/list_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "lists/list_source.h"

#define LINE_MAX_BYTES (1 << 20) /* more than the longest escaped path needs */
#define BUFFER_SIZE (1 << 18)

int list_lines_open(struct list_lines *lines, const char *path, struct simhash_error *error)
{
	*lines = (struct list_lines){.name = path};
	if (list_source_open(path, &lines->source, error) != 0)
		return -1;
	lines->name = list_source_name(lines->source);
	return 0;
}

void list_lines_close(struct list_lines *lines)
{
	list_source_close(lines->source);
	free(lines->text);
	*lines = (struct list_lines){.text = NULL};
}

int list_lines_refuse(const struct list_lines *lines, size_t at, const char *expected,
		      struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s:%llu:%llu: expected %s", lines->name,
			 (unsigned long long)lines->line, (unsigned long long)at + 1, expected);
}

/* Read more bytes after the existing ones. Returns 1, 0 at the end of the list, or -1. */
static int fill(struct list_lines *lines, struct simhash_error *error)
{
	ssize_t got;

	if (lines->begin > 0)
		memmove(lines->text, lines->text + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	if (array_reserve(&lines->text, &lines->capacity, lines->end + BUFFER_SIZE, 1, error) != 0)
		return -1;
	got = list_source_read(lines->source, lines->text + lines->end, BUFFER_SIZE, error);
	if (got < 0)
		return -1;
	lines->has_bytes = lines->has_bytes || got > 0;
	lines->end += (size_t)got;
	return got > 0;
}

int list_lines_next(struct list_lines *lines, struct bytes *line, struct simhash_error *error)
{
	size_t looked = 0;
	const char *end;

	for (;;) {
		size_t there = lines->end - lines->begin;
		const char *from = there == 0 ? "" : lines->text + lines->begin;
		int status;
		end = there == looked ? NULL : memchr(from + looked, '\n', there - looked);
		*line = (struct bytes){from, there};
		if (end != NULL)
			break;
		looked = there;
		lines->line += there > LINE_MAX_BYTES;
		if (there > LINE_MAX_BYTES)
			return list_lines_refuse(lines, 0, "a line of at most 1,048,576 bytes",
						 error);
		status = fill(lines, error);
		if (status < 0 || (status == 0 && there == 0))
			return status;
		if (status > 0)
			continue;
		lines->line++;
		*line = (struct bytes){lines->text, there};
		lines->begin = lines->end;
		lines->ended_open = true;
		return lines->may_end_open
			       ? 1
			       : list_lines_refuse(lines, there,
						   "a line that ends: the list is cut off", error);
	}
	line->size = (size_t)(end - line->data);
	lines->begin += line->size + 1;
	lines->line++;
	return 1;
}

int list_lines_peek(struct list_lines *lines, struct bytes *line, struct simhash_error *error)
{
	int status = list_lines_next(lines, line, error);

	if (status == 1) {
		lines->begin = (size_t)(line->data - lines->text);
		lines->line--;
	}
	return status;
}
