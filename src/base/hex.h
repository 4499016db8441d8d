/*
 * The value of a hexadecimal digit.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_HEX_H
#define SIMHASH_BASE_HEX_H

/* 0 to 15, or -1 for any other character. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

#endif
