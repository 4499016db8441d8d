/*
 * Declares the lines of acts.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_ACT_LINES_H
#define SIMHASH_CLI_ACT_LINES_H

#include "cli/simkeep/acting.h"

/* Find the common beginning of all paths of a plan, which a terminal shows only once. */
void act_lines_begin(struct acting *acting, const struct plan *plan);

/* Write the line of a kept file, or of an act on another file. `to` is its new path, or NULL. */
void act_line_write(const struct acting *acting, const char *what, const struct keep_file *file,
		    const char *to, bool is_kept);

#endif
