/*
 * Writes a line for each kept file and each act, and suggests the command that continues.
 *
 *     struct act_lines lines = {.how = presentation_of(stdout, &formatter_text)};
 *     act_lines_begin(&lines, &plan, moves);
 *     act_line_write(&lines, "keep", kept, NULL, true);
 *     act_lines_release(&lines);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_ACT_LINES_H
#define SIMHASH_CLI_ACT_LINES_H

#include "cli/options/keep_options.h"
#include "keep/keep.h"
#include "report/lists/formatter.h"
#include "report/lists/marked.h"

struct act_lines {
	struct presentation how; /* for standard output */
	struct layout layout;	 /* for lines on a terminal; owns its prefix */
};

/*
 * Find the common beginning of all paths of a plan, which a terminal shows only once. `moves`: the
 * lines have new paths.
 */
void act_lines_begin(struct act_lines *lines, const struct plan *plan, bool moves);

/* Write the line of a kept file, or of an act on another file. `to` is its new path, or NULL. */
void act_line_write(const struct act_lines *lines, const char *what, const struct keep_file *file,
		    const char *to, bool is_kept);

void act_lines_release(struct act_lines *lines);

/*
 * Write the command that continues from the output of a plan to standard error, unless the
 * arguments leave no next step. The output was a list of folders that have copies, or a plan with
 * acts.
 */
void next_step_say(const struct keep_arguments *arguments, bool lists_folders);

/* Print the command that carries out the decisions of a review. */
void next_step_say_saved(const struct keep_arguments *arguments, const char *decisions_path);

#endif
