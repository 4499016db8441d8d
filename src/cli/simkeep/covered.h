/*
 * Determines the directories that a plan covers: the DIR arguments, or all directories of this host
 * that were indexed. If there are only FILEs, there are none.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_COVERED_H
#define SIMHASH_CLI_COVERED_H

#include <stdio.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"
#include "cli/options/operands.h"

struct store;

struct covered {
	struct bytes *trees; /* sorted; none is below another one */
	size_t count, capacity;
	bool is_all; /* all directories in the index */
	struct arena texts;
};

/* The caller releases it, also after -1. */
int covered_read(struct covered *covered, const struct operands *operands, struct store *store,
		 const struct simhash_tag_set *tags, const char *host, struct simhash_error *error);
/* Cover one more directory. */
int covered_add(struct covered *covered, struct bytes tree, struct simhash_error *error);
void covered_release(struct covered *covered);

/* Print to standard error which directories are covered, before anything is done. */
void say_covered(const struct covered *covered);

/*
 * Print the command that updates the index after an act. If `covered` is empty, the directories are
 * unknown.
 */
void say_how_to_update(const struct covered *covered);

#endif
