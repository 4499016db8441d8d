/*
 * Decides by the names of two files which is the earlier version: by numbers, backup names and copy
 * names. docs/algorithm.md has the rule.
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
	int order; /* below 0: the first is the earlier one; 0: the names do not tell */
	enum name_reason reason;
};

/* Names without a slash. */
struct name_order names_order(struct bytes x, struct bytes y);

/* Paths: by their last parts and by their directories, which must not contradict each other. */
struct name_order paths_order(struct bytes x, struct bytes y);

/*
 * Are these names of versions of one file, as far as one can see: the same last parts, or such that
 * tell? Translations, templates and the files of a series are not.
 */
bool paths_are_related(struct bytes x, struct bytes y);

#endif
