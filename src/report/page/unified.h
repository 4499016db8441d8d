/*
 * Writes differing lines for people: hunks with three lines of context, like diff -u.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_UNIFIED_H
#define SIMHASH_REPORT_UNIFIED_H

#include <stdio.h>

#include "base/basic/bytes.h"
#include "measure/line_diff.h"

/*
 * Write the hunks as UTF-8 that does not act on a display, up to `max_bytes`. After that, the last
 * line begins with a tilde and contains the number of changed lines that are left out. A long line
 * ends with the number of bytes left out.
 */
int unified_write(FILE *out, struct bytes a, struct bytes b, const struct line_diff *diff,
		  size_t max_bytes, struct simhash_error *error);

#endif
