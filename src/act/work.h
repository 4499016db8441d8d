/*
 * The state of one act while it is carried out.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_WORK_H
#define SIMHASH_ACT_WORK_H

#include "act/journal.h"
#include "act/side.h"
#include "base/basic/error.h"

struct actor;
struct act_result;

struct work {
	struct actor *actor;
	const struct planned_act *act;
	const struct keep_file *kept_file; /* of the plan, or the one that took its place */
	struct side copy, own_kept;
	struct side *kept; /* own_kept, or the same file of the act before; its fd is -1: none */
	struct place to;   /* of a move */
	struct journal_act record;
	struct act_result *result;
	struct simhash_error *why; /* of the result */
	bool is_locked_elsewhere;  /* left for that reason */
	bool is_same_already;	   /* left because nothing is to be done */
	bool is_full;		   /* left because the kept file can have no more names */
};

static inline int refuse(struct work *work, const char *why)
{
	return error_set(work->why, SIMHASH_E_RANGE, "%s", why);
}

/* Do the names still stand for both files, as they were? -1 with the reason in `why`. */
int check_unchanged(struct work *work);

/* The step after the journal: link, delete, move or share blocks. -1 with the reason in `why`. */
int work_do(struct work *work);

#endif
