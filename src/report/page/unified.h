/*
 * Writes the lines that differ between two texts for people, as hunks with three lines of context,
 * like diff -u.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_UNIFIED_H
#define SIMHASH_REPORT_UNIFIED_H

#include <stdio.h>

#include "base/basic/bytes.h"
#include "measure/line_diff.h"

/*
 * Write the hunks as UTF-8 without control characters. If there are more than `max_bytes`, the last
 * line is a tilde and the number of changed lines that are left out. A long line is cut, and ends
 * with the number of the bytes that are left out.
 */
int unified_write(FILE *out, struct bytes a, struct bytes b, const struct line_diff *diff,
		  size_t max_bytes, struct simhash_error *error);

#endif
