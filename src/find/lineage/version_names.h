/*
 * Decides by the names of two files which one is the earlier version: by numbers, backup names and
 * copy names. docs/algorithm.md describes the rule.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERSION_NAMES_H
#define SIMHASH_FIND_VERSION_NAMES_H

#include <stdbool.h>

#include "base/basic/bytes.h"

enum name_reason {
	NAME_NONE,
	NAME_VERSION, /* a number, a version or a date */
	NAME_BACKUP,  /* "~", ".bak", "old" */
	NAME_COPY     /* "(1)", "copy of", "new" */
};

struct name_order {
	int order; /* negative: the first is earlier; 0: the names do not decide */
	enum name_reason reason;
};

/* For names without a slash. */
struct name_order names_order(struct bytes x, struct bytes y);

/* For paths: by their last parts and by their directories, which must not contradict each other. */
struct name_order paths_order(struct bytes x, struct bytes y);

/*
 * Are these probably names of versions of one file: names with equal last parts, or names that give
 * evidence? Names of translations, templates and files of a series are not.
 */
bool paths_are_related(struct bytes x, struct bytes y);

#endif
