/*
 * Converts UTF-16 to UTF-8 piece by piece. A library function would need the whole text, and a list
 * can have any size.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/utf16.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT 0xfffd

enum text_form text_form_of(const void *bytes, size_t size, size_t *mark)
{
	*mark = 0;
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		*mark = 3;
	else if (size >= 2 &&
		 (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
		*mark = 2;
	if (*mark != 2)
		return TEXT_BYTES;
	return *(const unsigned char *)bytes == 0xff ? TEXT_UTF16_LE : TEXT_UTF16_BE;
}

static uint32_t unit_at(enum text_form form, const unsigned char *at)
{
	return form == TEXT_UTF16_LE ? at[0] | (uint32_t)at[1] << 8 : at[1] | (uint32_t)at[0] << 8;
}

static bool is_high(uint32_t unit)
{
	return unit >> 10 == 0xd800 >> 10;
}

static bool is_low(uint32_t unit)
{
	return unit >> 10 == 0xdc00 >> 10;
}

static size_t put_utf8(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 63));
		out[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 63));
	out[2] = (char)(0x80 | (c >> 6 & 63));
	out[3] = (char)(0x80 | (c & 63));
	return 4;
}

size_t utf16_to_utf8(enum text_form form, const void *bytes, size_t size, char *out,
		     size_t *out_size)
{
	const unsigned char *in = bytes;
	size_t at = 0;

	*out_size = 0;
	while (size - at >= 2) {
		uint32_t c = unit_at(form, in + at), low;
		if (is_high(c) && size - at < 4)
			break;
		at += 2;
		if (is_high(c) && (low = unit_at(form, in + at), is_low(low))) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			at += 2;
		} else if (is_high(c) || is_low(c)) {
			c = REPLACEMENT;
		}
		*out_size += put_utf8(c, out + *out_size);
	}
	return at;
}
