/*
 * A shell script that can replace or delete copies. All its commands are commented out,
 * and a command compares both files again before it changes one.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_SCRIPT_H
#define SIMHASH_REPORT_SCRIPT_H

#include <stdio.h>

#include "find/pairs.h"

/*
 * Write the script for the identical pairs of a list. Files of other hosts, inflated
 * content and empty files are not in it. The first path of each content is kept; *copies
 * is the number of the others. The caller checks the stream's error state.
 */
int script_write(FILE *out, const struct pair_list *pairs, uint64_t *copies,
		 struct simhash_error *error);

#endif
