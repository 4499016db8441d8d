/*
 * The parts of a progress line, and an estimate of the time left. A part that does not fit is left
 * out completely.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PROGRESS_LINE_H
#define SIMHASH_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/terminal/progress.h"

struct line_part {
	char text[64]; /* ASCII; empty: no part */
	unsigned rank; /* those of the highest are left out first */
};

/* Write the parts in `columns` columns, with two blanks between; returns the columns written. */
unsigned write_parts(FILE *line, const struct line_part *parts, size_t count, unsigned columns);

/* The whole percent that are done; 100 only if all is done. */
unsigned whole_percent(double done, double all);

struct time_left {
	struct progress_rate rate;
	bool is_short; /* it has been next to nothing since then */
	double short_since_s;
};

/*
 * Fill `text` with "0:12 left". It is "finishing" where nothing is left to count, or where that is
 * said to be next to nothing for too long, and empty before a rate is known.
 */
void write_time_left(struct time_left *left, double seconds, double done, double rest,
		     char text[64]);

/* Instead, while nothing can be done: the time that passes is no measure of the work. */
void skip_time(struct time_left *left, double seconds, double done);

#endif
