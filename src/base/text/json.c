/*
 * Writes JSON strings: ordinary characters in one piece, and others one by one, escaped if
 * necessary.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/json.h"

#include <inttypes.h>

#include "base/text/escape.h"

/* Can all eight bytes be written as they are? Subtracting n borrows for each byte below n. */
static bool are_plain(uint64_t bytes)
{
	static const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t quotes = bytes ^ each * '"', backslashes = bytes ^ each * '\\';
	uint64_t odd = bytes | (bytes + each) | (bytes - each * 0x20) | (quotes - each) |
		       (backslashes - each);

	return (odd & each * 0x80) == 0;
}

/* Return the number of bytes at the start that can be written as they are. */
static size_t plain_length(struct bytes text)
{
	uint64_t eight;
	size_t length = 0;

	for (; length + sizeof eight <= text.size; length += sizeof eight) {
		memcpy(&eight, text.data + length, sizeof eight);
		if (!are_plain(eight))
			break;
	}
	while (length < text.size && text.data[length] >= 0x20 && text.data[length] < 0x7f &&
	       text.data[length] != '"' && text.data[length] != '\\')
		length++;
	return length;
}

static bool write_string(FILE *out, struct bytes text)
{
	bool is_utf8 = true;

	fputc('"', out);
	while (text.size > 0) {
		const unsigned char *b = (const unsigned char *)text.data;
		size_t plain = plain_length(text), length = plain > 0 ? plain : utf8_length(text);
		if (plain > 0) {
			fwrite(b, 1, plain, out);
		} else if (length == 0) {
			fputs("\\ufffd", out);
			is_utf8 = false;
			length = 1;
		} else if (b[0] == '"' || b[0] == '\\') {
			fprintf(out, "\\%c", b[0]);
		} else if (acts_on_display(code_point(b, length))) {
			fprintf(out, "\\u%04" PRIx32, code_point(b, length));
		} else {
			fwrite(b, 1, length, out);
		}
		text.data += length;
		text.size -= length;
	}
	fputc('"', out);
	return is_utf8;
}

bool line_put_json_string(struct line_buffer *line, struct bytes text)
{
	if (plain_length(text) < text.size) {
		line_flush(line);
		return write_string(line->out, text);
	}
	line_put(line, "\"");
	line_put_bytes(line, text);
	line_put(line, "\"");
	return true;
}

static size_t safe_length(struct bytes text)
{
	size_t length = 0;

	for (; length < text.size; length++) {
		unsigned char c = (unsigned char)text.data[length];
		if (c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' ||
		    c == '&')
			break;
	}
	return length;
}

static void put_safe(struct line_buffer *line, struct bytes text)
{
	while (text.size > 0) {
		size_t length = safe_length(text);
		char c = text.data[length < text.size ? length : 0], escape[8];
		line_put_bytes(line, (struct bytes){text.data, length});
		if (length == text.size)
			return;
		if (c == '"' || c == '\\')
			snprintf(escape, sizeof escape, "\\%c", c);
		else
			snprintf(escape, sizeof escape, c == '\n' ? "\\n" : "\\u%04x", (unsigned)c);
		line_put(line, escape);
		text.data += length + 1;
		text.size -= length + 1;
	}
}

void line_put_page_string(struct line_buffer *line, struct bytes text, bool is_shown)
{
	char room[ESCAPE_SIZE];

	line_put(line, "\"");
	while (text.size > 0) {
		struct bytes piece = text;
		if (is_shown)
			piece = escape_next(&text, room);
		else
			text.size = 0;
		put_safe(line, piece);
	}
	line_put(line, "\"");
}

void write_json_field(FILE *out, const char *name, struct bytes text)
{
	struct line_buffer line = {.out = out};

	line_put(&line, ",\"");
	line_put(&line, name);
	line_put(&line, "\":");
	if (!line_put_json_string(&line, text)) {
		line_put(&line, ",\"");
		line_put(&line, name);
		line_put(&line, "_hex\":\"");
		line_put_hex(&line, text);
		line_put(&line, "\"");
	}
	line_flush(&line);
}
