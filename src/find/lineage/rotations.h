/*
 * Recognizes rotated logs by their names: app.log is newer than app.log.1, which is newer than
 * app.log.2.gz. docs/algorithm.md describes the rule.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ROTATIONS_H
#define SIMHASH_FIND_ROTATIONS_H

#include <stdbool.h>

#include "base/basic/bytes.h"

enum rotation_kind {
	ROTATION_CURRENT,  /* app.log, or a name that is not rotated */
	ROTATION_DAY,	   /* app.log-20250101 */
	ROTATION_NUMBERED, /* app.log.1 */
};

struct rotation {
	enum rotation_kind kind;
	struct bytes log;    /* the name of the log; a part of the name */
	struct bytes suffix; /* the day, or the number: at most three digits */
};

/* Take a name without a slash apart. The result borrows it. */
struct rotation rotation_of(struct bytes name);

/* Does the name of the log alone say that its numbers are rotations: does it end with .log? */
bool rotation_is_sure(const struct rotation *rotation);

/* Negative: x is earlier than y. 0: they are not rotations of one log. */
int rotation_compare(const struct rotation *x, const struct rotation *y);

#endif
