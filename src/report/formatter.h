/*
 * How pairs are written: one table of formatters, one file each.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FORMATTER_H
#define SIMHASH_REPORT_FORMATTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "store/bytes.h"

/* One line of output. */
struct pair_line {
	bool is_identical;
	uint64_t distance;
	int64_t size_a_bytes, size_b_bytes;
	struct bytes path_a, path_b;
};

struct formatter {
	const char *name;
	/* Each writes to `out`, whose error state the caller checks. */
	void (*begin)(FILE *out);
	/* `number` counts from 0. `is_terminal`: no control byte may be written. */
	void (*pair)(FILE *out, const struct pair_line *line, uint64_t number, bool is_terminal);
	void (*end)(FILE *out, uint64_t count);
};

extern const struct formatter formatter_text, formatter_csv, formatter_json;

/* By name; NULL when there is none. */
const struct formatter *formatter_find(const char *name);

/* 100 * distance / mean size; 0 for two empty files. */
double pair_percent(const struct pair_line *line);

const char *pair_match(const struct pair_line *line); /* "identical" or "similar" */

/* The length of the valid UTF-8 sequence at the start of `bytes`, or 0. */
size_t utf8_length(struct bytes bytes);

/*
 * Write bytes so that they can do no harm to a terminal: control bytes and what
 * is not UTF-8 as \n, \t or \xHH, and a backslash as two.
 */
void write_escaped(FILE *out, struct bytes bytes);

#endif
