/*
 * Leaves out copies in version control and build trees (keep_is_in_tool_tree), unless the command
 * line names them.
 *
 *     status = tool_trees_init(&tools, &arguments->operands, &error);
 *     ... tool_trees_leave_out(&tools, path) ...     // for each copy once
 *     tool_trees_say(&tools, moves, quiet);
 *     tool_trees_release(&tools);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TOOL_TREES_H
#define SIMHASH_CLI_TOOL_TREES_H

#include <stdint.h>

#include "cli/options/operands.h"

/* All zero: there are no copies. */
struct tool_trees {
	const struct operands *operands;
	char **named; /* owned with its items: the FILEs in such trees, sorted */
	size_t named_count;
	uint64_t left_out; /* files */
};

/* The operands must stay valid. The caller releases it, also after -1. */
int tool_trees_init(struct tool_trees *tools, const struct operands *operands,
		    struct simhash_error *error);
void tool_trees_release(struct tool_trees *tools);

/*
 * Is the file with this absolute path left out? It is counted then. A file is not left out if it is
 * a FILE, or at or below a DIR that is in such a tree itself.
 */
bool tool_trees_leave_out(struct tool_trees *tools, const char *path);

/*
 * Write the number of files that were left out to standard error, and what to do about them. Files
 * that move would lose their place in the tree, so the whole tree has to move.
 */
void tool_trees_say(const struct tool_trees *tools, bool moves, bool quiet);

#endif
