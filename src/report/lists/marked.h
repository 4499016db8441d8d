/*
 * Writes lines with marks, which formatters of text make for a terminal. Paths lose their common
 * prefix, the second path of each line is below the second path of the line before, and no line is
 * wider than the terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_MARKED_H
#define SIMHASH_REPORT_MARKED_H

#include <stdio.h>

#include "base/basic/bytes.h"

struct layout {
	struct bytes prefix; /* what paths begin with and is left out */
	size_t first;	     /* columns of the first of two paths, where there is room */
	size_t columns;	     /* of a line */
};

/* Write a line without its marks. The middle of paths that are too wide is left out. */
void write_marked(FILE *out, struct bytes line, const struct layout *layout);

/* The same, with a text at the right end; the paths get the columns before it. */
void write_marked_to(FILE *out, struct bytes line, const char *end, const struct layout *layout);

/*
 * What paths at or below a directory begin with, escaped and with a slash at its end, for the
 * caller to free; none for the root directory, or without memory.
 */
struct bytes paths_prefix(struct bytes directory);

/* Write what is left out of all paths, above a list, unless that is nothing. */
void write_prefix(FILE *out, const struct layout *layout);

/* A path without the prefix, if it begins with it. */
struct bytes without_prefix(struct bytes path, struct bytes prefix);

/* Write a text without its middle if it is too wide. Returns the columns written. */
size_t write_within(FILE *out, struct bytes text, size_t columns);

/* Write lines, broken at blanks so that none is wider. */
void write_wrapped(FILE *out, const char *text, size_t columns);

#endif
