/*
 * Reports the pairs of requested files. A pair of two requested files is reported only once.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_REPORT_H
#define SIMHASH_FIND_QUERIED_REPORT_H

#include "base/data/pair_set.h"
#include "find/pairs/pair_reporter.h"
#include "find/query/queried_passages.h"

struct queried_report {
	struct pair_reporter reporter;
	struct pair_set queried;	   /* hashes of all requested paths */
	struct pair_set reported;	   /* pairs of two such paths, as two hashes */
	struct queried_passages *passages; /* of the current search; or NULL */
};

void queried_report_release(struct queried_report *report);

/* Note that a path is requested. Returns 1 if it is new, 0 if not, or -1 without memory. */
int queried_report_note(struct queried_report *report, const char *path);

/* Report a pair whose `a` is a requested file, unless the pair was reported before. */
int queried_report_pair(struct queried_report *report, struct file_pair pair,
			struct simhash_error *error);

/* Report the passages that were not reported as other pairs. */
int queried_report_passages(struct queried_report *report, struct queried_passages *passages,
			    struct simhash_error *error);

#endif
