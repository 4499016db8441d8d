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
 * Write a text as a string. Returns whether all of it is UTF-8; what is not becomes U+FFFD. What
 * would act on a display is escaped, though JSON requires that of C0 alone.
 */
bool line_put_json_string(struct line_buffer *line, struct bytes text);

/*
 * Write a text that is UTF-8 as a string in an element of HTML, which nothing in it can end. With
 * `is_shown`, any text as write_escaped shows it.
 */
void line_put_page_string(struct line_buffer *line, struct bytes text, bool is_shown);

/*
 * Write ,"NAME":"TEXT", and where the text is not UTF-8, ,"NAME_hex":"..." with all its bytes.
 * `name` is plain.
 */
void write_json_field(FILE *out, const char *name, struct bytes text);

#endif
