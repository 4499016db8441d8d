/*
 * Writes lines with marks, which text formatters make for a terminal. Paths lose their common
 * prefix, the second paths of lines are aligned, and no line is wider than the terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_MARKED_H
#define SIMHASH_REPORT_MARKED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"

struct layout {
	struct bytes prefix; /* the beginning of paths that is omitted */
	size_t first;	     /* the width of the first of two paths, if there is enough space */
	size_t columns;	     /* the width of a line */
	bool folds;	     /* a second path gets its own line if both are too wide */
};

/* Write a line without its marks. If paths are too wide, their middle is omitted. */
void write_marked(FILE *out, struct bytes line, const struct layout *layout);

/* As write_marked, with a text at the right edge. The paths get the columns before it. */
void write_marked_to(FILE *out, struct bytes line, const char *end, const struct layout *layout);

/*
 * Return the beginning of all paths at or below a directory, escaped and with a slash at its end.
 * The caller frees it. It is empty for the root directory or if memory is short.
 */
struct bytes paths_prefix(struct bytes directory);

/* Write a line above a list that shows the omitted prefix, unless it is empty. */
void write_prefix(FILE *out, const struct layout *layout);

/* Return a path without the prefix, if it begins with the prefix. */
struct bytes without_prefix(struct bytes path, struct bytes prefix);

/* Write a text; if it is too wide, omit its middle. Return the number of columns written. */
size_t write_within(FILE *out, struct bytes text, size_t columns);

/* Write lines and break them at blanks so that they fit into `columns`. */
void write_wrapped(FILE *out, const char *text, size_t columns);

#endif
