/*
 * Writes texts as JSON strings (RFC 8259) that are valid for any bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_JSON_H
#define SIMHASH_BASE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/line_buffer.h"

/*
 * Write a text as a string. Returns true if all of it is UTF-8. Invalid bytes become U+FFFD. All
 * characters that act on a display are escaped; JSON requires this only for C0.
 */
bool line_put_json_string(struct line_buffer *line, struct bytes text);

/*
 * Write a UTF-8 text as a string in an HTML element, escaped so that the text cannot end the
 * element. With `is_shown`, write any text in the form of write_escaped.
 */
void line_put_page_string(struct line_buffer *line, struct bytes text, bool is_shown);

/*
 * Write ,"NAME":"TEXT", and if the text is not UTF-8, also ,"NAME_hex":"..." with all its bytes.
 * `name` needs no escapes.
 */
void write_json_field(FILE *out, const char *name, struct bytes text);

#endif
