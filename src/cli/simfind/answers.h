/*
 * Stores the groups and pairs of simfind --store in the index, for SQL. The index is opened and the
 * run entered before the search begins, so that a user who may not write gets an error at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_ANSWERS_H
#define SIMHASH_CLI_ANSWERS_H

#include "cli/simfind/find_plan.h"
#include "find/groups/group_sorter.h"
#include "find/pairs/best_pairs.h"
#include "store/open/store.h"
#include "store/write/find_run.h"

struct answers {
	struct store *reader;
	struct store *store; /* NULL: nothing is to be stored */
	struct find_run run;
	struct best_pairs pairs;
	bool is_stored;
};

/* Begin, if the options ask for it. To be released whatever it returns. */
int answers_begin(struct answers *answers, const struct find_plan *plan, struct store *store,
		  struct simhash_error *error);

/* One of the pairs found. Any thread may. */
int answers_add(struct answers *answers, const struct file_pair *pair, struct simhash_error *error);

/* What a search has found. */
struct answers_found {
	const struct group_sorter *groups;	/* NULL: none were looked for */
	const struct pair_list *list;		/* all pairs, if they were kept */
	uint64_t pairs;				/* how many there are of the list, or were added */
	const struct find_resources *resources; /* for what is missing */
};

/* Find what is still missing, and store all of it, if anything is to be stored. */
int answers_store(struct answers *answers, const struct find_plan *plan,
		  const struct answers_found *found, struct simhash_error *error);

/* Removes what was written, unless all was stored. */
void answers_release(struct answers *answers);

#endif
