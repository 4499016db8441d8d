/*
 * Reads the lines of a list of digests or hashes, plain or compressed, which may come from anybody.
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
	const char *name; /* the name of the list, for messages */
	struct list_source *source;
	bool may_end_open; /* the last line may lack its newline */
	bool ended_open;   /* the last line lacked its newline */
	bool has_bytes;	   /* the list is not empty */
	uint64_t line;	   /* the number of the last line */
	char *text;	   /* the line, and the beginning of the next ones */
	size_t begin, end, capacity;
};

/* Open a list, see list_source.h. `path` is borrowed. Close the lines even after an error. */
int list_lines_open(struct list_lines *lines, const char *path, struct simhash_error *error);
void list_lines_close(struct list_lines *lines);

/*
 * Read the next line, without its newline; it lives until the next call. Returns 1, 0 at the end,
 * or -1. A list that was cut off and a line of more than 1 MiB are errors.
 */
int list_lines_next(struct list_lines *lines, struct bytes *line, struct simhash_error *error);

/* Look at the next line, and read it again in the next call. */
int list_lines_peek(struct list_lines *lines, struct bytes *line, struct simhash_error *error);

/*
 * Report "NAME:LINE:COLUMN: expected ..." for a byte of the last line, counted from 0. Returns -1.
 */
int list_lines_refuse(const struct list_lines *lines, size_t at, const char *expected,
		      struct simhash_error *error);

#endif
