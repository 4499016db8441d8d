/*
 * The lines of a list of digests or hashes, plain or compressed, which may come from anybody.
 *
 *     if (list_lines_open(&lines, "there.digests.gz", &error) != 0)
 *             return -1;
 *     while ((status = list_lines_next(&lines, &line, &error)) == 1)
 *             if (line.size == 0)
 *                     return list_lines_refuse(&lines, 0, "something", &error);
 *     list_lines_close(&lines);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_LIST_LINES_H
#define SIMHASH_SCAN_LIST_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

struct list_source;

struct list_lines {
	const char *name; /* of the list, for messages */
	struct list_source *source;
	bool may_end_open; /* is the last line one without an end? */
	bool ended_open;   /* it was */
	bool has_bytes;	   /* the list is not empty */
	uint64_t line;	   /* the number of the last */
	char *text;	   /* of the line, and where the next ones begin */
	size_t begin, end, capacity;
};

/* A list as list_source.h has it. `path` is borrowed. To be closed whatever this returns. */
int list_lines_open(struct list_lines *lines, const char *path, struct simhash_error *error);
void list_lines_close(struct list_lines *lines);

/*
 * The next line, without its end, which lives until the one after it: 1, 0 at the end, -1. A list that
 * is cut off is refused, and so is a line of more than a mebibyte.
 */
int list_lines_next(struct list_lines *lines, struct bytes *line, struct simhash_error *error);

/* The same, and it is still the next one afterwards. */
int list_lines_peek(struct list_lines *lines, struct bytes *line, struct simhash_error *error);

/* "NAME:LINE:COLUMN: expected ..." at a byte of the last line, from 0. Returns -1. */
int list_lines_refuse(const struct list_lines *lines, size_t at, const char *expected,
		      struct simhash_error *error);

#endif
