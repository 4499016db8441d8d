/*
 * Converts UTF-16 text, which programs on Windows write, and recognizes the byte-order mark that
 * names a text's encoding:
 *
 *     enum text_form form = text_form_of(bytes, size, &mark);
 *
 *     if (form != TEXT_BYTES)
 *             used = utf16_to_utf8(form, bytes + mark, size - mark, out, &out_size);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_UTF16_H
#define SIMHASH_BASE_UTF16_H

#include <stddef.h>
#include <stdint.h>

enum text_form { TEXT_BYTES, TEXT_UTF16_LE, TEXT_UTF16_BE };

/* The longest mark, in bytes. */
#define TEXT_MARK_MAX 3

/* The bytes of UTF-8 that so many bytes of UTF-16 become at most. */
#define UTF8_ROOM(size) ((size) / 2 * 3 + 3)

/* *mark is the size of a byte-order mark at the beginning, or 0. A text without one has bytes. */
enum text_form text_form_of(const void *bytes, size_t size, size_t *mark);

/*
 * Convert all whole characters and return how many bytes of the input they took: what is left is the
 * beginning of a character. Half a surrogate pair becomes U+FFFD.
 */
size_t utf16_to_utf8(enum text_form form, const void *bytes, size_t size, char *out,
		     size_t *out_size);

#endif
