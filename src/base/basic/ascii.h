/*
 * Classifies and converts ASCII letters, digits and hexadecimal bytes, independent of the locale.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ASCII_H
#define SIMHASH_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool ascii_is_letter(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Copy `size` bytes and convert letters to lower case. */
static inline void ascii_lower_copy(char *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = ascii_lower(text[i]);
}

/* Return the value of a hexadecimal digit, or -1. */
static inline int hex_digit(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	c = ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * The byte that two hexadecimal digits encode, or -1. Reads the second only if the first is a
 * digit.
 */
static inline int hex_byte(const char *digits)
{
	int high = hex_digit(digits[0]), low = high < 0 ? -1 : hex_digit(digits[1]);

	return low < 0 ? -1 : high << 4 | low;
}

#endif
