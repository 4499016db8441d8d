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
 * Write bytes so that they cannot harm a terminal: characters that act on a display, and bytes that
 * are not UTF-8, as \n, \t or \xHH, and a backslash as two.
 */
void write_escaped(FILE *out, struct bytes bytes);

/* Return the next piece of that text, in `bytes` or in `room`, and set *bytes to the rest. */
#define ESCAPE_SIZE 17
struct bytes escape_next(struct bytes *bytes, char room[ESCAPE_SIZE]);

/* Does write_escaped change these bytes? */
bool is_escaped(struct bytes bytes);

/* Return the escaped text, which ends with a zero. The caller frees it. NULL if memory is short. */
char *escape_text(struct bytes bytes, size_t *size);

/* Return the length of the valid UTF-8 sequence at the start of `bytes`, or 0. */
size_t utf8_length(struct bytes bytes);

/* Return the character of a valid sequence. */
uint32_t code_point(const unsigned char *b, size_t length);

/*
 * Does this character act on a display instead of being visible? Such characters are controls (C0,
 * DEL, C1), marks that change the direction of text (Bidi_Control) and can disguise a name, and
 * separators of lines and paragraphs.
 */
bool acts_on_display(uint32_t code);

#endif
