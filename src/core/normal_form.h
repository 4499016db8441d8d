/*
 * Recognizes texts and computes their normal form, in which line ends, tabs and indentation make no
 * difference (docs/algorithm.md). The result does not depend on how a content is cut.
 *
 *     normal_form_begin(&form, head, head_size);     // the first bytes of the content
 *     for (i = form.mark_size; form.is_text && i < size; i += done)
 *             done = normal_form_add(&form, bytes + i, size - i, out, room, &written);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_NORMAL_FORM_H
#define SIMHASH_CORE_NORMAL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/basic/utf16.h"

/* The number of bytes by which a text is recognized, unless the content has fewer. */
#define TEXT_HEAD 4096

/* A kernel may write this number of bytes after the end of its result. */
#define SQUEEZE_SLACK 64

struct normal_form {
	bool is_text;
	bool is_after_white; /* was the last byte white space, or was there no byte? */
	enum text_form encoding;
	size_t mark_size; /* of the byte-order mark, which the caller leaves out */
	/* UTF-16: the beginning of a character whose other bytes have not come yet. */
	uint8_t rest[4];
	size_t rest_size;
};

/* Decide by the first bytes whether a content is a text: TEXT_HEAD bytes, or all bytes. */
void normal_form_begin(struct normal_form *form, const uint8_t *head, size_t size);

/*
 * Write the normal form of the next bytes of a text to `out`, which has `room` bytes and
 * SQUEEZE_SLACK more; `room` is at least NORMAL_ROOM_MIN. Returns the number of bytes that are done,
 * and sets *written. White space at the end of the bytes becomes a blank, which does not belong to
 * the normal form if the content ends there. An incomplete character at the end is left out.
 */
#define NORMAL_ROOM_MIN 2048
size_t normal_form_add(struct normal_form *form, const uint8_t *bytes, size_t size, uint8_t *out,
		       size_t room, size_t *written);

#endif
