/*
 * The report: one page that needs nothing else, made of a template and what was found
 * as JSON in it. The page's script reads that, and puts names into it as text alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_H
#define SIMHASH_REPORT_HTML_H

#include <stdio.h>

#include "find/find.h"
#include "find/groups.h"
#include "report/key_space.h"

/* Groups beyond so many files are left out, and the page states their number. */
#define REPORT_FILES_MAX 250000

struct report {
	const struct group_list *groups;
	const struct key_space *space;
	const struct simhash_tag_set *tags;
	const struct find_rule *rule;
	struct find_counts counts;
};

/* Write the page; the caller checks the file's error state. -1: no memory. */
int report_write(FILE *out, const struct report *report, struct simhash_error *error);

#endif
