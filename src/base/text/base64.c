/*
 * Encodes and decodes base64, three bytes and four characters at a time.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/base64.h"

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

/*
 * The values of the characters from '+' to 'z', plus 1; 0 for other characters. A table avoids
 * branches that the processor predicts badly.
 */
/* clang-format off */
static const uint8_t values['z' - '+' + 1] = {
	63, 0, 0, 0, 64, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 0, 0, 0, 0, 0, 0, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	0, 0, 0, 0, 0, 0,
	27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
};
/* clang-format on */

size_t base64_decode(const char *text, uint8_t *bytes, size_t size)
{
	size_t length = BASE64_LENGTH(size);
	uint32_t bits = 0;
	unsigned waiting = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned at = (unsigned char)text[i] - (unsigned)'+';
		if (at >= sizeof values || values[at] == 0)
			return i;
		bits = bits << 6 | (values[at] - 1U);
		waiting += 6;
		if (waiting >= 8) {
			waiting -= 8;
			*bytes++ = (uint8_t)(bits >> waiting);
		}
	}
	return (bits & ((1u << waiting) - 1)) == 0 ? length : length - 1;
}
