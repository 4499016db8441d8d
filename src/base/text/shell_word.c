/*
 * Quotes a word if a shell needs quotes for it.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/shell_word.h"

#include "base/text/escape.h"

bool needs_encoding(struct bytes text)
{
	while (text.size > 0) {
		const unsigned char *b = (const unsigned char *)text.data;
		size_t length = utf8_length(text);
		if (length == 0 || acts_on_display(code_point(b, length)))
			return true;
		text.data += length;
		text.size -= length;
	}
	return false;
}

void write_command_word(FILE *out, struct bytes text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789%+,-./:=@_";
	bool is_plain = text.size > 0;

	for (size_t i = 0; is_plain && i < text.size; i++)
		is_plain = memchr(plain, text.data[i], sizeof plain - 1) != NULL;
	if (!is_plain)
		fputc('\'', out);
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] == '\'')
			fputs("'\"'\"'", out);
		else
			fputc(text.data[i], out);
	if (!is_plain)
		fputc('\'', out);
}
