/*
 * Doing something with every block of the index, by all threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SWEEP_H
#define SIMHASH_FIND_SWEEP_H

#include "find/join.h"

/* Called from several threads at once, each with its own room and reporter. */
typedef int block_fn(void *context, struct join_room *room, const struct block *block,
		     struct find_reporter *reporter, struct simhash_error *error);

struct sweep_plan {
	enum simhash_key order; /* of the rows; cut into parts only in that of uniform */
	bool collapse;
	int64_t (*reach)(const struct find_rule *rule, const struct find_file *file); /* or NULL */
	block_fn *work;
	void *context;
};

int sweep_blocks(struct finder *finder, const struct sweep_plan *plan, struct simhash_error *error);

#endif
