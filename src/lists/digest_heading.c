/*
 * Reads the heading of a digest list: its version, its tag set, and the names of its hashes.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "lists/digest_lines.h"
#include "lists/digest_text.h"

/* Parse names such as " md5 sha256" to the end of the line. */
static int take_hash_names(struct cursor *cursor, unsigned *hashes)
{
	for (int i = 0; i < FILE_HASHES; i++) {
		size_t size = strlen(file_hash_names[i]), left = (size_t)(cursor->end - cursor->at);
		if (left <= size || cursor->at[0] != ' ' ||
		    memcmp(cursor->at + 1, file_hash_names[i], size) != 0 ||
		    (left > size + 1 && cursor->at[size + 1] != ' '))
			continue;
		*hashes |= 1U << i;
		cursor->at += size + 1;
	}
	return *hashes != 0 && cursor->at == cursor->end
		       ? 0
		       : refuse(cursor, "a blank and md5, sha1 or sha256, in this order");
}

/* The tag set after the first line has the form of a tag file. */
static int read_tag_set(struct digest_reader *reader, bool may_be_hashed, bool is_hashed,
			FILE *text, struct simhash_error *error)
{
	struct cursor cursor;
	int status;

	while ((status = next_line(reader, &cursor, error)) == 1) {
		if (is_line(&cursor, DIGESTS_FILES_LINE))
			return is_hashed && reader->hashes == 0
				       ? refuse(&cursor,
						"a line \"" DIGESTS_HASHES " ...\" before this one")
				       : 0;
		if (reader->hashes != 0 || reader->lines.line > 64)
			return refuse(&cursor, "a line \"" DIGESTS_FILES_LINE "\" before this one");
		if (may_be_hashed && begins_with(&cursor, DIGESTS_HASHES " ")) {
			cursor.at += strlen(DIGESTS_HASHES);
			if (take_hash_names(&cursor, &reader->hashes) != 0)
				return -1;
			continue;
		}
		fwrite(cursor.at, 1, (size_t)(cursor.end - cursor.at), text);
		putc('\n', text);
	}
	return status < 0 ? -1
			  : error_set(error, SIMHASH_E_SYNTAX,
				      "%s ends before the line \"" DIGESTS_FILES_LINE "\"",
				      reader->lines.name);
}

int digest_heading_read(struct digest_reader *reader, struct simhash_error *error)
{
	struct cursor cursor;
	char *text = NULL;
	size_t size;
	FILE *stream;
	bool is_hashed;
	int status = next_line(reader, &cursor, error);

	if (status < 0)
		return -1;
	reader->has_pieces = status == 1 && is_line(&cursor, DIGESTS_FIRST_LINE);
	reader->has_sketches = reader->has_pieces ||
			       (status == 1 && is_line(&cursor, DIGESTS_FIRST_LINE_WHOLE));
	reader->has_end = reader->has_sketches ||
			  (status == 1 && is_line(&cursor, DIGESTS_FIRST_LINE_ENDED));
	is_hashed = status == 1 && is_line(&cursor, DIGESTS_FIRST_LINE_HASHED);
	if (status == 0 ||
	    !(reader->has_end || is_hashed || is_line(&cursor, DIGESTS_FIRST_LINE_PLAIN)))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "%s is not a digest list: its first line is not "
				 "\"" DIGESTS_FIRST_LINE "\", or 4, 3, 2 or 1 in the place of 5",
				 reader->lines.name);
	stream = open_memstream(&text, &size);
	if (stream == NULL)
		return error_set_memory(error);
	putc('\n', stream); /* keeps the line numbers of the list */
	status = read_tag_set(reader, is_hashed || reader->has_end, is_hashed, stream, error);
	if (close_text(stream, &text) != 0)
		status = error_set_memory(error);
	if (status == 0)
		status = simhash_tag_set_parse(text, size, reader->lines.name, &reader->tag_set,
					       error);
	free(text);
	return status;
}
