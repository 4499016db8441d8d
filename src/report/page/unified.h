/*
 * Writes differing lines for people: hunks with three lines around them, as diff -u writes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_UNIFIED_H
#define SIMHASH_REPORT_UNIFIED_H

#include <stdio.h>

#include "base/basic/bytes.h"
#include "measure/line_diff.h"

/*
 * Write the hunks as UTF-8 that acts on no display, and end once `max_bytes` are reached: then
 * the last line begins with a tilde and tells how many changed lines are left out. A long line
 * ends with how much of it is.
 */
int unified_write(FILE *out, struct bytes a, struct bytes b, const struct line_diff *diff,
		  size_t max_bytes, struct simhash_error *error);

#endif
