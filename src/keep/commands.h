/*
 * The commands of a script that --action=script wrote. The script's shell passes them to simkeep.
 * docs/apply.md has the format.
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
	struct keep_file kept, copy;
};

struct commands {
	struct arena arena; /* of the texts */
	const char *host;
	bool host_is_given; /* by --host, when the script was written */
	struct bytes *protected;
	size_t protected_count, protected_capacity;
	struct command *list; /* those that are not comments */
	size_t count, capacity;
	uint64_t found, written; /* with comments: commands that are there, and that there were */
};

/* Are these the commands of a script, and not decisions? */
bool commands_are_in(struct bytes text);

/*
 * Read them; `what` is for errors. A script that was cut, or that has a line which is not a command,
 * is refused as a whole. The caller releases the commands on 0.
 */
int commands_read(struct bytes text, const char *what, struct commands *commands,
		  struct simhash_error *error);
void commands_release(struct commands *commands);

/* Their acts, in this order, which refer to them. The caller releases the plan on 0. */
int commands_plan(const struct commands *commands, struct plan *plan, struct simhash_error *error);

#endif
