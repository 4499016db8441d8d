/*
 * Makes bytes of unknown origin, such as file names, safe to display.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ESCAPE_H
#define SIMHASH_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/*
 * Write bytes so that they can do no harm to a terminal: what acts on a display and what is not
 * UTF-8 as \n, \t or \xHH, and a backslash as two.
 */
void write_escaped(FILE *out, struct bytes bytes);

/* The next piece of that, in the bytes themselves or in `room`, and what follows it in *bytes. */
#define ESCAPE_SIZE 17
struct bytes escape_next(struct bytes *bytes, char room[ESCAPE_SIZE]);

/* Does it write anything but these bytes? */
bool is_escaped(struct bytes bytes);

/* The same as a text, ended by a zero, for the caller to free; NULL when memory is short. */
char *escape_text(struct bytes bytes, size_t *size);

/* The length of the valid UTF-8 sequence at the start of `bytes`, or 0. */
size_t utf8_length(struct bytes bytes);

/* The character of a valid sequence. */
uint32_t code_point(const unsigned char *b, size_t length);

/*
 * Would a display act on this character instead of showing it? Controls (C0, DEL, C1), the marks
 * that make text run the other way (Bidi_Control), by which a name looks like another, and the
 * separators of lines and paragraphs.
 */
bool acts_on_display(uint32_t code);

#endif
