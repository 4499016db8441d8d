/*
 * Writes bytes of files into the report's data.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_TEXT_H
#define SIMHASH_REPORT_HTML_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/* Without quotation marks. Pieces of a whole have sizes divisible by 3, but for the last. */
void html_write_base64(FILE *out, const uint8_t *bytes, size_t size);

/*
 * Bytes of a file as UTF-8 for people: what acts on a display becomes a symbol of it or its
 * number, what is not UTF-8 becomes U+FFFD, and only tabs stay. Not escaped for JSON.
 */
void html_write_visible(FILE *out, struct bytes bytes);

#endif
