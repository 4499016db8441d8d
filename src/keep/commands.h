/*
 * Reads the commands of a script that --action=script wrote. The shell passes them to simkeep.
 * docs/apply.md describes the format.
 *
 *     if (commands_are_in(text)) {
 *             status = commands_read(text, "-", &commands, &error);
 *             ...
 *             commands_release(&commands);
 *     }
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_COMMANDS_H
#define SIMHASH_KEEP_COMMANDS_H

#include "base/data/arena.h"
#include "keep/keep.h"

struct command {
	enum keep_action action;
	struct keep_file kept, copy; /* kept: unless it is a move */
	const char *to;		     /* the new path of a move; or see struct planned_act */
};

struct commands {
	struct arena arena; /* holds the texts */
	const char *host;
	bool host_is_given; /* --host was given when the script was written */
	struct bytes *protected;
	size_t protected_count, protected_capacity;
	struct bytes
		*emptied; /* directories are removed at or below these when they become empty */
	size_t emptied_count, emptied_capacity;
	struct command *list; /* the commands without comments */
	size_t count, capacity;
	/*
	 * The number of commands in the text, and the number that were written, both with comments.
	 */
	uint64_t found, written;
};

/* Is the text a script with commands, and not decisions? */
bool commands_are_in(struct bytes text);

/*
 * Read the commands; `what` names the text in errors. Refuses the complete script if it was
 * truncated or if a line is not a command. The caller releases the commands on 0.
 */
int commands_read(struct bytes text, const char *what, struct commands *commands,
		  struct simhash_error *error);
void commands_release(struct commands *commands);

/*
 * Make a plan of their acts, in this order. The acts point to the commands. The caller releases the
 * plan on 0.
 */
int commands_plan(const struct commands *commands, struct plan *plan, struct simhash_error *error);

#endif
