/*
 * Writes bytes of files into the data of a report.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_TEXT_H
#define SIMHASH_REPORT_HTML_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/*
 * Write bytes as base64, without quotation marks. If bytes are written in pieces, the size of every
 * piece except the last must be divisible by 3.
 */
void html_write_base64(FILE *out, const uint8_t *bytes, size_t size);

/*
 * Write bytes of a file as UTF-8 for people. Control characters except tabs become symbols or
 * numbers. Bytes that are not UTF-8 become U+FFFD. Nothing is escaped for JSON.
 */
void html_write_visible(FILE *out, struct bytes bytes);

#endif
