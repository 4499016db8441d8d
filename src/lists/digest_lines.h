/*
 * Defines the state of a reader of digest lists, and reads lines. Only the files of the reader use
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_LISTS_DIGEST_LINES_H
#define SIMHASH_LISTS_DIGEST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lists/list_lines.h"
#include "store/row/file_row.h"

struct digest_reader {
	struct list_lines lines;
	struct bytes line; /* the last line */
	struct simhash_tag_set *tag_set;
	bool has_end;		       /* the last line counts the files */
	bool has_sketches;	       /* sketches of older lists are not used */
	bool has_pieces;	       /* older lists have none */
	uint64_t *pieces;	       /* room for the pieces of a content; or NULL */
	uint64_t files;		       /* the number of files so far */
	unsigned hashes;	       /* the hashes at the ends of the lines */
	struct row_sketches *sketches; /* the hashes and pieces of the last row */
	char *path;		       /* the path of the last row: directory, name and extension */
	size_t path_capacity;
};

/* The position in a line. */
struct cursor {
	const struct digest_reader *reader;
	const char *start, *at, *end;
	struct simhash_error *error;
};

static inline int refuse(const struct cursor *cursor, const char *expected)
{
	return list_lines_refuse(&cursor->reader->lines, (size_t)(cursor->at - cursor->start),
				 expected, cursor->error);
}

static inline struct cursor cursor_at(const struct digest_reader *reader, struct bytes line,
				      struct simhash_error *error)
{
	return (struct cursor){reader, line.data, line.data, line.data + line.size, error};
}

static inline int next_line(struct digest_reader *reader, struct cursor *cursor,
			    struct simhash_error *error)
{
	int status;

	reader->line = (struct bytes){"", 0};
	status = list_lines_next(&reader->lines, &reader->line, error);
	/* Accept the line ends of Windows editors. */
	if (status == 1 && reader->line.size > 0 &&
	    reader->line.data[reader->line.size - 1] == '\r')
		reader->line.size--;
	*cursor = cursor_at(reader, reader->line, error);
	return status;
}

static inline bool begins_with(const struct cursor *cursor, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(cursor->end - cursor->at) >= size && memcmp(cursor->at, text, size) == 0;
}

static inline bool is_line(const struct cursor *cursor, const char *text)
{
	return begins_with(cursor, text) && (size_t)(cursor->end - cursor->at) == strlen(text);
}

/* Read the lines before the files. */
int digest_heading_read(struct digest_reader *reader, struct simhash_error *error);

#endif
