/*
 * The table of formatters, and what they share.
 * SPDX-License-Identifier: MIT
 */
#include "report/formatter.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"

static const struct formatter *const formatters[] = {
	&formatter_text,  &formatter_csv,  &formatter_json,
	&formatter_jsonl, &formatter_null, &formatter_html,
};

const char formatter_names[] = "text, csv, json, jsonl, null or html";

const struct formatter *formatter_find(const char *name)
{
	for (size_t i = 0; i < sizeof formatters / sizeof *formatters; i++)
		if (strcmp(formatters[i]->name, name) == 0)
			return formatters[i];
	return NULL;
}

double pair_percent(const struct file_pair *pair)
{
	double sizes = (double)pair->a->size_bytes + (double)pair->b->size_bytes;

	return sizes == 0 ? 0 : 200.0 * (double)pair->distance / sizes;
}

const char *pair_match(const struct file_pair *pair)
{
	return pair->is_identical ? "identical" : "similar";
}

void write_decimal(FILE *out, double value, int width, int places)
{
	char text[48];
	int at = (int)sizeof text, digits = 0;
	uint64_t rest = 1;

	for (int i = 0; i < places; i++)
		rest *= 10;
	rest = (uint64_t)(value * (double)rest + 0.5);
	while (digits <= places || rest > 0) {
		if (digits == places && places > 0)
			text[--at] = '.';
		text[--at] = (char)('0' + rest % 10);
		rest /= 10;
		digits++;
	}
	while ((int)sizeof text - at < width)
		text[--at] = ' ';
	fwrite(text + at, 1, sizeof text - (size_t)at, out);
}

const char *verification_name(enum verification verification)
{
	static const char *const names[] = {
		[PAIR_UNREAD] = "",
		[PAIR_CONFIRMED] = "confirmed",
		[PAIR_MEASURED] = "measured",
		[PAIR_TRUSTED] = "trusted",
		[PAIR_UNCONFIRMED] = "unconfirmed",
	};

	return names[verification];
}

const char *role_name(enum member_role role)
{
	static const char *const names[] = {"representative", "member", "copy"};

	return names[role];
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t utf8_length(struct bytes bytes)
{
	const unsigned char *b = (const unsigned char *)bytes.data;
	unsigned char low = 0x80, high = 0xbf;
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
	if (b[0] == 0xe0)
		low = 0xa0;
	if (b[0] == 0xed)
		high = 0x9f;
	if (b[0] == 0xf0)
		low = 0x90;
	if (b[0] == 0xf4)
		high = 0x8f;
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

static void write_hex(FILE *out, const unsigned char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		fprintf(out, "\\x%02x", b[i]);
}

/* How many bytes at the start are printable ASCII and no backslash. */
static size_t plain_length(struct bytes bytes)
{
	size_t length = 0;

	while (length < bytes.size && bytes.data[length] >= 0x20 && bytes.data[length] < 0x7f &&
	       bytes.data[length] != '\\')
		length++;
	return length;
}

void write_escaped(FILE *out, struct bytes bytes)
{
	while (bytes.size > 0) {
		const unsigned char *b = (const unsigned char *)bytes.data;
		size_t plain = plain_length(bytes);
		size_t valid = plain > 0 ? plain : utf8_length(bytes);
		size_t length = valid == 0 ? 1 : valid;
		if (plain > 0)
			fwrite(b, 1, plain, out);
		else if (b[0] == '\\')
			fputs("\\\\", out);
		else if (b[0] == '\n')
			fputs("\\n", out);
		else if (b[0] == '\t')
			fputs("\\t", out);
		else if (valid == 0 || acts_on_display(code_point(b, length)))
			write_hex(out, b, length);
		else
			fwrite(b, 1, length, out);
		bytes.data += length;
		bytes.size -= length;
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

size_t text_columns(struct bytes text)
{
	size_t columns = 0;

	/* The bytes that go on with a character are 10xxxxxx. */
	for (size_t i = 0; i < text.size; i++)
		columns += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return columns;
}

void write_marked(FILE *out, struct bytes text, struct bytes prefix, size_t width)
{
	struct bytes path = {text.data, 0};

	for (size_t i = 0; i < text.size; i++) {
		const char *at = text.data + i;
		if (*at == PATH_MARK) {
			fwrite(path.data, 1, path.size, out);
			if (text.size - i - 1 >= prefix.size && prefix.size > 0 &&
			    memcmp(at + 1, prefix.data, prefix.size) == 0)
				i += prefix.size;
			path = (struct bytes){text.data + i + 1, 0};
		} else if (*at == WIDTH_MARK) {
			size_t columns = text_columns(path);
			fwrite(path.data, 1, path.size, out);
			for (; columns < width; columns++)
				fputc(' ', out);
			path = (struct bytes){at + 1, 0};
		} else {
			path.size++;
		}
	}
	fwrite(path.data, 1, path.size, out);
}
