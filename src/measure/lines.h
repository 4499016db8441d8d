/*
 * Replaces the lines of texts by numbers: equal lines, including the newline, have the same number.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_LINES_H
#define SIMHASH_MEASURE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct symbols {
	uint32_t *symbol;
	size_t count;
};

struct numbered_lines {
	struct symbols a, b;
	uint32_t different; /* the numbers are 1 to `different` */
};

/* Release the lines even after an error. Errors: SIMHASH_E_RANGE, SIMHASH_E_MEMORY. */
int lines_number(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
		 struct numbered_lines *lines, struct simhash_error *error);
void lines_release(struct numbered_lines *lines);

#endif
