/*
 * Bytes as printable text in base64 (RFC 4648), without the padding at the end.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_BASE64_H
#define SIMHASH_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the text of `size` bytes. */
#define BASE64_LENGTH(size) (((size)*4 + 2) / 3)

/* Write BASE64_LENGTH(size) characters, and no zero after them. */
void base64_encode(const uint8_t *bytes, size_t size, char *text);

/*
 * Read BASE64_LENGTH(size) characters. Returns how many of them are right; all but the last bits of
 * the last character mean something, and those are zero.
 */
size_t base64_decode(const char *text, uint8_t *bytes, size_t size);

#endif
