/*
 * The directories that a plan covers: the DIR arguments, or all directories of this host that were
 * indexed. With FILEs alone there are none.
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
	struct bytes *trees; /* sorted, and none below another one */
	size_t count, capacity;
	bool is_all; /* of the index */
	struct arena texts;
};

/* The caller releases it, also after -1. */
int covered_read(struct covered *covered, const struct operands *operands, struct store *store,
		 const struct simhash_tag_set *tags, const char *host, struct simhash_error *error);
void covered_release(struct covered *covered);

/* Say on standard error which they are, before anything is done. */
void say_covered(const struct covered *covered);

/* Say which command updates the index after an act; what is covered may be empty, which is not known. */
void say_how_to_update(const struct covered *covered);

#endif
