/*
 * One act while it is carried out.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_WORK_H
#define SIMHASH_ACT_WORK_H

#include "act/act.h"
#include "act/side.h"
#include "base/error.h"

struct work {
	struct actor *actor;
	struct side copy, kept; /* kept.fd -1: there is none */
	struct place to;	/* of a move */
	struct journal_act record;
	struct simhash_error *why;
};

static inline int refuse(struct work *work, const char *why)
{
	return error_set(work->why, SIMHASH_E_RANGE, "%s", why);
}

/* The step after the journal: link, delete, move or share blocks. -1 with the reason in `why`. */
int work_do(struct work *work);

#endif
