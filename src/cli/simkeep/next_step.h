/*
 * Suggests the command that continues from the output of a plan.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_NEXT_STEP_H
#define SIMHASH_CLI_NEXT_STEP_H

#include "cli/options/keep_options.h"

/*
 * Write it to standard error, unless the arguments leave no next step. The output was a list of
 * folders that have copies, or a plan with acts.
 */
void next_step_say(const struct keep_arguments *arguments, bool lists_folders);

#endif
