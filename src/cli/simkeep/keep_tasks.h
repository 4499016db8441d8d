/*
 * Declares the tasks of simkeep.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEEP_TASKS_H
#define SIMHASH_CLI_KEEP_TASKS_H

#include "cli/options/keep_options.h"

struct acting;

/* --decisions: carry out the decisions of a report, or the commands of a script. */
int apply_decisions(struct acting *acting, const char *host, struct simhash_error *error);

/*
 * Act on copies in the index: --keep, --action=script or, without them, list the folders with
 * copies.
 */
int act_on_copies(struct acting *acting, const char *host, struct simhash_error *error);

/* --undo; *had_left: a file was left alone. */
int undo_acts(const struct keep_arguments *arguments, bool *had_left, struct simhash_error *error);

#endif
