/*
 * Stores the groups and pairs of simfind --store in the index, for SQL. The index is opened and the
 * run is entered before the search begins, so that a user without write permission gets an error at
 * once.
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
	struct store *store; /* NULL: nothing is stored */
	struct find_run run;
	struct best_pairs pairs;
	bool is_stored;
};

/* Begin if the options request it. Always release the answers, also after an error. */
int answers_begin(struct answers *answers, const struct find_plan *plan, struct store *store,
		  struct simhash_error *error);

/* Add a pair that was found. Any thread may call it. */
int answers_add(struct answers *answers, const struct file_pair *pair, struct simhash_error *error);

/* The results of a search. */
struct answers_found {
	const struct group_sorter *groups;	/* NULL: no groups were searched */
	const struct pair_list *list;		/* all pairs, if they were stored */
	uint64_t pairs;				/* the number of pairs in the list, or added */
	const struct find_resources *resources; /* for searching missing results */
};

/* Find the missing results and store everything, if something must be stored. */
int answers_store(struct answers *answers, const struct find_plan *plan,
		  const struct answers_found *found, struct simhash_error *error);

/* Removes everything that was written, unless all of it was stored. */
void answers_release(struct answers *answers);

#endif
