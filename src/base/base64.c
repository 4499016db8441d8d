/*
 * Base64, three bytes and four characters at a time.
 * SPDX-License-Identifier: MIT
 */
#include "base/base64.h"

#include "base/ascii.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const uint8_t *bytes, size_t size, char *text)
{
	uint32_t bits = 0;
	unsigned waiting = 0; /* bits */

	for (size_t i = 0; i < size; i++) {
		bits = bits << 8 | bytes[i];
		for (waiting += 8; waiting >= 6; waiting -= 6)
			*text++ = digits[bits >> (waiting - 6) & 63];
	}
	if (waiting > 0)
		*text = digits[bits << (6 - waiting) & 63];
}

static int digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (ascii_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t base64_decode(const char *text, uint8_t *bytes, size_t size)
{
	size_t length = BASE64_LENGTH(size);
	uint32_t bits = 0;
	unsigned waiting = 0;

	for (size_t i = 0; i < length; i++) {
		int value = digit_value(text[i]);
		if (value < 0)
			return i;
		bits = bits << 6 | (uint32_t)value;
		waiting += 6;
		if (waiting >= 8) {
			waiting -= 8;
			*bytes++ = (uint8_t)(bits >> waiting);
		}
	}
	return (bits & ((1u << waiting) - 1)) == 0 ? length : length - 1;
}
