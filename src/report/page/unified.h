/*
 * Writes the lines that differ for people: hunks with three lines around them, like diff -u.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_UNIFIED_H
#define SIMHASH_REPORT_UNIFIED_H

#include <stdio.h>

#include "base/basic/bytes.h"
#include "measure/line_diff.h"

/*
 * Write the hunks as UTF-8 without control characters. After `max_bytes` the last line begins with a
 * tilde and has the number of changed lines that are left out. A long line ends with the number of
 * its other bytes.
 */
int unified_write(FILE *out, struct bytes a, struct bytes b, const struct line_diff *diff,
		  size_t max_bytes, struct simhash_error *error);

#endif
