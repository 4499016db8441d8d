/*
 * Shows moves to other file systems: the space that they need, their progress, and attributes that
 * cannot be kept there.
 *
 *     if (far_moves_begin(&moves, &plan, arguments, move_to, &error) != 0)
 *             ...                            // there is too little space
 *     ... act, with options.far_bytes = &moves.bytes; far_moves_say_lost(result.to, result.lost) ...
 *     far_moves_end(&moves);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FAR_MOVES_H
#define SIMHASH_CLI_FAR_MOVES_H

#include "act/acting/act.h"
#include "cli/options/keep_options.h"
#include "cli/terminal/progress_line.h"

struct far_moves {
	_Atomic uint64_t bytes; /* see act_options.far_bytes */
	uint64_t all_bytes;
	struct time_left left;
	struct progress_display display;
};

/*
 * Write how much space the plan needs on other file systems. If it will be carried out, it must
 * fit, and the progress is shown from now on. The caller ends it on 0.
 */
int far_moves_begin(struct far_moves *moves, const struct plan *plan,
		    const struct keep_arguments *arguments, const char *move_to,
		    struct simhash_error *error);
void far_moves_end(struct far_moves *moves);

/* Write which attributes a moved file does not have any more, if there are some. */
void far_moves_say_lost(const char *path, unsigned lost);

#endif
