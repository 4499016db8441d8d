/*
 * Compares the bytes of two files, and the lines of two texts, for the screen.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_COMPARE_H
#define SIMHASH_CLI_REVIEW_COMPARE_H

#include <stdbool.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* A line of each file, or of one of them. */
struct compared_row {
	struct bytes left, right;
	char mark; /* '@' heading, ' ' equal, '-' only left, '+' only right, '|' changed */
};

struct comparison {
	char *text; /* the rows borrow from it */
	struct compared_row *rows;
	size_t count, capacity;
};

/* Release it even after an error. */
int compare_files(const char *left, const char *right, bool is_beside,
		  struct comparison *comparison, struct simhash_error *error);
void comparison_release(struct comparison *comparison);

#endif
