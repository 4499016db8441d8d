/*
 * Reads the decisions of decisions.json, which the report writes: docs/report.md describes the
 * fields.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_DECISIONS_H
#define SIMHASH_KEEP_DECISIONS_H

#include "base/data/arena.h"
#include "keep/keep.h"

struct decisions {
	struct arena arena; /* holds the paths */
	struct keep_file *files;
	size_t count, capacity;
	struct bytes *elsewhere; /* HOST:PATH of files to remove on other hosts */
	size_t elsewhere_count, elsewhere_capacity;
};

/*
 * Read the text of a file; `what` names it in errors, and `host` is the name of this host. The
 * caller releases the decisions on 0.
 */
int decisions_read(struct bytes text, const char *what, const char *host,
		   struct decisions *decisions, struct simhash_error *error);
void decisions_release(struct decisions *decisions);

#endif
