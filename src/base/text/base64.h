/*
 * Converts bytes to printable text in base64 (RFC 4648) and back, without the padding at the end.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_BASE64_H
#define SIMHASH_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the text for `size` bytes. */
#define BASE64_LENGTH(size) (((size)*4 + 2) / 3)

/* Write BASE64_LENGTH(size) characters without a terminating zero. */
void base64_encode(const uint8_t *bytes, size_t size, char *text);

/*
 * Read BASE64_LENGTH(size) characters. Returns the number of valid characters. The unused bits of
 * the last character must be 0.
 */
size_t base64_decode(const char *text, uint8_t *bytes, size_t size);

#endif
