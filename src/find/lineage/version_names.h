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
	NAME_VERSION,  /* a version: "v2", "rev 3", "1.2" */
	NAME_DATE,     /* a date with its day */
	NAME_APPENDED, /* a number in parentheses, or one that the other name does not have */
	NAME_NUMBER,   /* other numbers, which may count pages, photos or invoices */
	NAME_BACKUP,   /* "~", ".bak", "old" */
	NAME_COPY      /* "(1)", "copy of", "new" */
};

struct name_order {
	int order; /* negative: the first is earlier; 0: the names do not decide */
	enum name_reason reason;
};

/* For names without a slash. */
struct name_order names_order(struct bytes x, struct bytes y);

/* For paths: by their last parts and by their directories, which must not contradict each other. */
struct name_order paths_order(struct bytes x, struct bytes y);

/* What two names say about the files being versions of one file. */
enum names_relation {
	NAMES_OTHER,   /* nothing in common, as with translations and letters */
	NAMES_COUNTED, /* the same except for a number that may count something */
	NAMES_ALIKE,   /* the same except for directories, a date or an appended number */
	NAMES_MARKED   /* marked as a version, a backup or a copy */
};

enum names_relation paths_relation(struct bytes x, struct bytes y);

#endif
