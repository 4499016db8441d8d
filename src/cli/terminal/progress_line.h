/*
 * Writes the parts of a progress line, and estimates the time left. A part that does not fit is
 * left out completely.
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
	unsigned rank; /* parts with the highest rank are left out first */
};

/*
 * Write the parts into `columns` columns, with two blanks between them; returns the columns
 * written.
 */
unsigned write_parts(FILE *line, const struct line_part *parts, size_t count, unsigned columns);

/* The whole percent done; 100 only if everything is done. */
unsigned whole_percent(double done, double all);

struct time_left {
	struct progress_rate rate;
	bool is_short; /* the time left has been almost zero since then */
	double short_since_s;
};

/*
 * Set `text`, for example to "0:12 left". It is "finishing" if nothing is left to count, or if the
 * time left was almost zero for too long; it is empty before a rate is known.
 */
void write_time_left(struct time_left *left, double seconds, double done, double rest,
		     char text[64]);

/* Call this instead while no work can be done, because then time does not measure work. */
void skip_time(struct time_left *left, double seconds, double done);

#endif
