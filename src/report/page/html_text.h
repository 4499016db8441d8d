/*
 * Writes bytes of files into the data of a report.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_TEXT_H
#define SIMHASH_REPORT_HTML_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/* Without quotation marks. All pieces of a whole but the last have sizes divisible by 3. */
void html_write_base64(FILE *out, const uint8_t *bytes, size_t size);

/*
 * Write bytes of a file as UTF-8 for people. Control characters become symbols or numbers, except
 * tabs. Bytes that are not UTF-8 become U+FFFD. Nothing is escaped for JSON.
 */
void html_write_visible(FILE *out, struct bytes bytes);

#endif
