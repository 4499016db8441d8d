/*
 * Decides by two names which one is the earlier version: by numbers, backup names and copy names.
 * docs/algorithm.md describes the rule.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERSION_NAMES_H
#define SIMHASH_FIND_VERSION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"

enum name_reason {
	NAME_NONE,
	NAME_VERSION,  /* a version: "v2", "rev 3", "1.2" */
	NAME_DATE,     /* a date with its day */
	NAME_APPENDED, /* a number in parentheses, or one that the other name does not have */
	NAME_NUMBER,   /* other numbers, which may count pages, photos or invoices */
	NAME_BACKUP,   /* "~", ".bak", "old" */
	NAME_COPY,     /* "(1)", "copy of", "new" */
	NAME_ROTATION  /* app.log.1: see rotations.h */
};

struct name_order {
	int order; /* negative: the first is earlier; 0: the names do not decide */
	enum name_reason reason;
};

#define NO_ORDER ((struct name_order){0, NAME_NONE})

/* A name without a slash. */
struct version_name {
	struct bytes text;
	const uint8_t *meanings; /* see name_meanings; NULL: they are computed if they are needed */
};

struct name_order names_order(struct version_name x, struct version_name y);

/* The order of a name compared with the empty name, if it is the name of a backup or a copy. */
struct name_order name_mark(struct bytes text);

/* Does it begin with a day like 2024-03-05, or 20240305 without separators? */
bool name_begins_with_day(struct bytes text);

/*
 * For each byte of a text where a number begins, set the reason that this number is: NAME_VERSION,
 * NAME_DATE or NAME_NUMBER. The text can be a whole path.
 */
void name_meanings(struct bytes text, uint8_t *meanings);

#endif
