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

/* The maximum size of a mark, in bytes. */
#define TEXT_MARK_MAX 3

/* The maximum number of UTF-8 bytes for this many UTF-16 bytes. */
#define UTF8_ROOM(size) ((size) / 2 * 3 + 3)

/*
 * Detect the encoding. *mark becomes the size of the byte-order mark, or 0. A text without a mark
 * is TEXT_BYTES.
 */
enum text_form text_form_of(const void *bytes, size_t size, size_t *mark);

/*
 * Convert all whole characters. Returns the number of input bytes used; the rest is the beginning
 * of a character. Half a surrogate pair becomes U+FFFD.
 */
size_t utf16_to_utf8(enum text_form form, const void *bytes, size_t size, char *out,
		     size_t *out_size);

#endif
