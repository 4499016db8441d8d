/*
 * Checks UTF-8 (RFC 3629) and escapes bytes that could harm a terminal.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/escape.h"

#include "base/files/open_file.h"

/* Rejects overlong forms, surrogates and values above U+10FFFF. */
size_t utf8_length(struct bytes bytes)
{
	const unsigned char *b = (const unsigned char *)bytes.data;
	unsigned char low, high;
	size_t length;

	if (bytes.size == 0)
		return 0;
	if (b[0] < 0x80)
		return 1;
	if (b[0] < 0xc2 || b[0] > 0xf4)
		return 0;
	length = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	if (length > bytes.size)
		return 0;
	low = b[0] == 0xe0 ? 0xa0 : b[0] == 0xf0 ? 0x90 : 0x80;
	high = b[0] == 0xed ? 0x9f : b[0] == 0xf4 ? 0x8f : 0xbf;
	if (b[1] < low || b[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (b[i] < 0x80 || b[i] > 0xbf)
			return 0;
	return length;
}

uint32_t code_point(const unsigned char *b, size_t length)
{
	uint32_t code = length == 1 ? b[0] : b[0] & (0x7fU >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (b[i] & 0x3fU);
	return code;
}

bool acts_on_display(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Write each byte as \xHH. */
static struct bytes put_hex(const unsigned char *b, size_t length, char room[ESCAPE_SIZE])
{
	for (size_t i = 0; i < length; i++)
		snprintf(room + 4 * i, 5, "\\x%02x", b[i]);
	return (struct bytes){room, 4 * length};
}

/* Return the number of bytes at the start that are printable ASCII except the backslash. */
static size_t plain_length(struct bytes bytes)
{
	size_t length = 0;

	while (length < bytes.size && bytes.data[length] >= 0x20 && bytes.data[length] < 0x7f &&
	       bytes.data[length] != '\\')
		length++;
	return length;
}

struct bytes escape_next(struct bytes *bytes, char room[ESCAPE_SIZE])
{
	const unsigned char *b = (const unsigned char *)bytes->data;
	size_t plain = plain_length(*bytes), valid = plain > 0 ? plain : utf8_length(*bytes);
	struct bytes taken = {bytes->data, valid == 0 ? 1 : valid};

	bytes->data += taken.size;
	bytes->size -= taken.size;
	if (plain > 0)
		return taken;
	if (b[0] == '\\')
		return bytes_of("\\\\");
	if (b[0] == '\n')
		return bytes_of("\\n");
	if (b[0] == '\t')
		return bytes_of("\\t");
	return valid == 0 || acts_on_display(code_point(b, taken.size))
		       ? put_hex(b, taken.size, room)
		       : taken;
}

bool is_escaped(struct bytes bytes)
{
	char room[ESCAPE_SIZE];

	while (bytes.size > 0) {
		const char *begin = bytes.data;
		if (escape_next(&bytes, room).data != begin)
			return true;
	}
	return false;
}

void write_escaped(FILE *out, struct bytes bytes)
{
	char room[ESCAPE_SIZE];

	while (bytes.size > 0) {
		struct bytes piece = escape_next(&bytes, room);
		fwrite(piece.data, 1, piece.size, out);
	}
}

char *escape_text(struct bytes bytes, size_t *size)
{
	char *text = NULL;
	FILE *memory = open_memstream(&text, size);

	if (memory == NULL)
		return NULL;
	write_escaped(memory, bytes);
	close_text(memory, &text);
	return text;
}
