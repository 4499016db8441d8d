/*
 * Writes bytes of files into the report's data.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_TEXT_H
#define SIMHASH_REPORT_HTML_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/*
 * Without quotation marks. If a text is written in pieces, all sizes except for the last must be
 * divisible by 3.
 */
void html_write_base64(FILE *out, const uint8_t *bytes, size_t size);

/*
 * Write bytes of a file as UTF-8 for people: characters that act on a display become a symbol or
 * their number, bytes that are not UTF-8 become U+FFFD, and only tabs stay. Not escaped for JSON.
 */
void html_write_visible(FILE *out, struct bytes bytes);

#endif
