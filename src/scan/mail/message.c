/*
 * Finds the parts of a message by the boundaries of its multiparts, line by line, and texts in
 * uuencode between the lines of other text.
 * SPDX-License-Identifier: MIT
 */
#include "scan/mail/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/data/array.h"
#include "scan/file/container_kind.h"
#include "scan/mail/mail_part.h"
#include "scan/mail/names.h"

#define LEVELS_MAX 100
#define PARTS_MAX 20000
#define HEADERS_MAX ((size_t)64 << 10) /* the bytes of the headers of a part that are read */
#define RAW_ROOM (MAIL_LINES_ROOM + 4)

/* A multipart around the current part. */
struct level {
	size_t boundary_size;
	char boundary[MAIL_BOUNDARY_MAX];
	bool is_digest;
};

/* The place after the lines that were read. */
enum place {
	AT_HEADERS,
	AT_BODY,
	AT_UU,	    /* a file in uuencode between lines of text */
	AT_TEXT,    /* the text after such a file */
	AT_NO_PART, /* before or after the parts of a multipart */
	AT_END
};

struct message {
	struct mail_lines *lines; /* borrowed */
	enum place place;
	struct level levels[LEVELS_MAX];
	unsigned depth;
	struct mail_part part;
	struct mail_decoder *decoder; /* NULL: the bytes are not encoded */
	bool is_over;		      /* all lines of the part were read */
	bool is_flushed;	      /* the decoder has returned its last bytes */
	struct bytes out;	      /* bytes to return */
	char raw[RAW_ROOM];	      /* bytes to decode */
	size_t raw_size;
	/* The end of the last line, which belongs to the next boundary if one follows. */
	size_t end_size;
	char end[2];
	char *headers;
	size_t headers_size, headers_capacity;
	struct part_names names;
	int why; /* a failure to report, or 0 */
};

struct message *message_new(struct mail_lines *lines)
{
	struct message *message = calloc(1, sizeof *message);

	if (message != NULL) {
		message->lines = lines;
		message->is_over = message->is_flushed = true;
		message->out = bytes_of("");
	}
	return message;
}

void message_free(struct message *message)
{
	if (message == NULL)
		return;
	mail_decoder_free(message->decoder);
	part_names_release(&message->names);
	free(message->headers);
	free(message);
}

/* ---- Boundaries ---- */

/* Is it the boundary of this level? Spaces may follow. *is_close: it ends the multipart. */
static bool is_boundary_of(const struct level *level, const struct mail_line *line, bool *is_close)
{
	size_t at = 2 + level->boundary_size;

	if (line->size < at || memcmp(line->data + 2, level->boundary, level->boundary_size) != 0)
		return false;
	*is_close = line->size >= at + 2 && memcmp(line->data + at, "--", 2) == 0;
	at += *is_close ? 2 : 0;
	while (at < line->size && (line->data[at] == ' ' || line->data[at] == '\t'))
		at++;
	return at == line->size;
}

/* If the line is a boundary, leave the parts inside, and set the place after it. */
static bool take_boundary(struct message *message, const struct mail_line *line)
{
	bool is_close;

	if (!line->is_start || line->size < 2 || memcmp(line->data, "--", 2) != 0)
		return false;
	for (unsigned i = message->depth; i-- > 0;)
		if (is_boundary_of(&message->levels[i], line, &is_close)) {
			message->depth = is_close ? i : i + 1;
			message->place = is_close ? AT_NO_PART : AT_HEADERS;
			mail_lines_take(message->lines, line);
			return true;
		}
	return false;
}

static void reach_end(struct message *message)
{
	if (message->depth > 0 && message->why == 0)
		message->why = CONTAINER_IS_CUT_MAIL;
	message->place = AT_END;
}

/* ---- Uuencode ---- */

/* Does a line with encoded bytes follow? Its first byte is their number. */
static bool has_uu_bytes(struct bytes after)
{
	size_t size = 0, count;

	while (size < after.size && after.data[size] != '\n' && after.data[size] != '\r')
		size++;
	if (size == 0 || after.data[0] < ' ' || after.data[0] > '`')
		return false;
	count = (size_t)(after.data[0] - ' ') & 63;
	if (count == 0)
		return size <= 2;
	return size >= 1 + (count * 4 + 2) / 3 && size <= 2 + (count + 2) / 3 * 4;
}

/* Is the line "begin MODE NAME", with encoded bytes after it? */
static bool begins_uu(const struct mail_line *line, struct bytes *name)
{
	size_t at = 6;

	if (!line->is_start || line->size < 11 || memcmp(line->data, "begin ", 6) != 0)
		return false;
	while (at < line->size && at < 10 && line->data[at] >= '0' && line->data[at] <= '7')
		at++;
	if (at < 9 || at + 1 >= line->size || line->data[at] != ' ')
		return false;
	*name = (struct bytes){line->data + at + 1, line->size - at - 1};
	return has_uu_bytes(line->after);
}

static bool ends_uu(const struct mail_line *line)
{
	return line->is_start && line->size == 3 && memcmp(line->data, "end", 3) == 0;
}

/* ---- The bytes of a part ---- */

static void append(struct message *message, const char *bytes, size_t size)
{
	memcpy(message->raw + message->raw_size, bytes, size);
	message->raw_size += size;
}

/* Does the part end at this line? Then set the place after it. */
static bool ends_part(struct message *message, const struct mail_line *line)
{
	struct bytes ignored;

	if (take_boundary(message, line))
		return true;
	if (message->place == AT_UU && ends_uu(line)) {
		message->place = AT_TEXT;
		mail_lines_take(message->lines, line);
		return true;
	}
	if (message->place == AT_BODY && message->part.is_plain_text && begins_uu(line, &ignored)) {
		append(message, message->end, message->end_size);
		message->place = AT_UU;
		return true;
	}
	return false;
}

/* Read lines until the buffer is full or the part ends. -1 if reading failed. */
static int read_raw(struct message *message)
{
	struct mail_line line;
	int status;

	message->raw_size = 0;
	while ((status = mail_lines_peek(message->lines, &line)) > 0) {
		if (message->raw_size + 2 * sizeof message->end + line.size > RAW_ROOM)
			return 0;
		if (ends_part(message, &line)) {
			message->is_over = true;
			return 0;
		}
		append(message, message->end, message->end_size);
		append(message, line.data, line.size);
		message->end_size = line.end_size;
		memcpy(message->end, line.data + line.size, line.end_size);
		mail_lines_take(message->lines, &line);
	}
	if (status < 0)
		return -1;
	append(message, message->end, message->end_size);
	message->is_over = true;
	reach_end(message);
	return 0;
}

static int read_more(struct message *message)
{
	struct mail_decoder *decoder = message->decoder;

	if (message->is_over) {
		message->is_flushed = true;
		message->out = decoder == NULL ? bytes_of("") : mail_decode_rest(decoder);
		return 0;
	}
	if (read_raw(message) != 0)
		return -1;
	message->out = decoder == NULL ? (struct bytes){message->raw, message->raw_size}
				       : mail_decode(decoder, message->raw, message->raw_size);
	return 0;
}

ssize_t message_read(struct message *message, void *buffer, size_t room)
{
	size_t have = 0;

	while (have < room && (message->out.size > 0 || !message->is_flushed)) {
		size_t size = message->out.size < room - have ? message->out.size : room - have;
		if (size > 0)
			memcpy((char *)buffer + have, message->out.data, size);
		have += size;
		message->out = bytes_after(message->out, size);
		if (message->out.size == 0 && !message->is_flushed && read_more(message) != 0)
			return -1;
	}
	return (ssize_t)have;
}

/* ---- Headers ---- */

/* Keep a piece of a header line, up to a limit. */
static int keep_header(struct message *message, const struct mail_line *line)
{
	size_t size = line->size + (line->end_size > 0), have = message->headers_size;
	struct simhash_error error;

	if (have + size > HEADERS_MAX) {
		message->why = CONTAINER_IS_LARGE_MAIL;
		return 0;
	}
	if (array_reserve(&message->headers, &message->headers_capacity, have + size, 1, &error) !=
	    0) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(message->headers + have, line->data, line->size);
	if (line->end_size > 0)
		message->headers[have + line->size] = '\n';
	message->headers_size += size;
	return 0;
}

/*
 * Read the headers of a part, and keep the fields Content-* and their further lines. *has_body:
 * the empty line after the headers was read. -1 if reading failed.
 */
static int read_headers(struct message *message, bool *has_body)
{
	static const char wanted[] = "Content-";
	struct mail_line line;
	bool is_kept = false, is_first = true;
	int status;

	message->headers_size = 0;
	*has_body = false;
	while ((status = mail_lines_peek(message->lines, &line)) > 0) {
		if (take_boundary(message, &line))
			return 1;
		if (line.is_start && line.size == 0) {
			mail_lines_take(message->lines, &line);
			*has_body = true;
			return 1;
		}
		if (line.is_start && (is_first || (line.data[0] != ' ' && line.data[0] != '\t')))
			is_kept = line.size >= sizeof wanted - 1 &&
				  strncasecmp(line.data, wanted, sizeof wanted - 1) == 0;
		if (is_kept && keep_header(message, &line) != 0)
			return -1;
		is_first = false;
		mail_lines_take(message->lines, &line);
	}
	if (status == 0)
		reach_end(message);
	return status < 0 ? -1 : 1;
}

/* ---- Parts ---- */

static void begin_part(struct message *message, bool is_over)
{
	message->end_size = 0;
	message->out = bytes_of("");
	message->is_over = is_over;
	message->is_flushed = is_over;
}

/* Enter a multipart. False if it is nested too deep; then it is a part like others. */
static bool enter(struct message *message)
{
	const struct mail_part *part = &message->part;
	struct level *level = &message->levels[message->depth];

	if (message->depth == LEVELS_MAX) {
		message->why = CONTAINER_IS_LARGE_MAIL;
		return false;
	}
	level->boundary_size = part->boundary_size;
	level->is_digest = part->is_digest;
	memcpy(level->boundary, part->boundary, part->boundary_size);
	message->depth++;
	message->place = AT_NO_PART;
	return true;
}

/* Read the headers of the next part. Returns 1 for a part, 0 for a multipart, -1 for a failure. */
static int begin_after_headers(struct message *message)
{
	bool is_in_digest = message->depth > 0 && message->levels[message->depth - 1].is_digest;
	bool has_body;

	mail_decoder_free(message->decoder);
	message->decoder = NULL;
	message->place = AT_BODY;
	if (read_headers(message, &has_body) < 0)
		return -1;
	mail_part_read((struct bytes){message->headers_size > 0 ? message->headers : "",
				      message->headers_size},
		       is_in_digest, &message->part, &message->decoder);
	begin_part(message, !has_body);
	return has_body && message->part.is_multipart && enter(message) ? 0 : 1;
}

/* Begin the file that was found in uuencode. */
static int begin_uu(struct message *message)
{
	struct mail_line line;
	struct bytes name = bytes_of("");

	if (mail_lines_peek(message->lines, &line) <= 0 || !begins_uu(&line, &name))
		return -1;
	message->part = (struct mail_part){.extension = "bin"};
	mail_part_set_name(&message->part, name);
	message->decoder = mail_decoder_new_uu();
	begin_part(message, false);
	return 1;
}

/* Begin the text after a file in uuencode. Returns 0 if there is none. */
static int begin_text(struct message *message)
{
	struct mail_line line;
	int status;

	while ((status = mail_lines_peek(message->lines, &line)) > 0) {
		if (take_boundary(message, &line))
			return 0;
		if (line.size > 0)
			break;
		mail_lines_take(message->lines, &line);
	}
	if (status == 0)
		reach_end(message);
	if (status <= 0)
		return status;
	mail_decoder_free(message->decoder);
	message->decoder = NULL;
	message->part = (struct mail_part){.extension = "txt", .is_plain_text = true};
	message->place = AT_BODY;
	begin_part(message, false);
	return 1;
}

/* Skip lines up to the next boundary. */
static int pass_over(struct message *message)
{
	struct mail_line line;
	int status;

	while ((status = mail_lines_peek(message->lines, &line)) > 0 &&
	       !take_boundary(message, &line))
		mail_lines_take(message->lines, &line);
	if (status == 0)
		reach_end(message);
	return status < 0 ? -1 : 0;
}

/* Go on to the next part. Returns 1 if it has begun, 0 if it was not reached, -1 for a failure. */
static int step(struct message *message)
{
	switch (message->place) {
	case AT_HEADERS:
		return begin_after_headers(message);
	case AT_UU:
		return begin_uu(message);
	case AT_TEXT:
		return begin_text(message);
	case AT_BODY:
	case AT_NO_PART:
	case AT_END:
		break;
	}
	return pass_over(message);
}

int message_next(struct message *message, struct bytes *name)
{
	int status = 0;

	while (!message->is_over)
		if (read_raw(message) != 0)
			return -1;
	message->why = 0;
	while (status == 0 && message->place != AT_END)
		status = step(message);
	if (status <= 0)
		return status;
	if (message->names.count == PARTS_MAX) {
		message->why = CONTAINER_IS_LARGE_MAIL;
		message->place = AT_END;
		return 0;
	}
	return part_names_choose(&message->names, &message->part, name);
}

bool message_is_message(const struct message *message)
{
	return message->part.is_message;
}

int message_failure(struct message *message)
{
	int why = message->why;

	message->why = 0;
	return why;
}
