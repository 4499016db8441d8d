/*
 * How old are the rows of some directories, and are they complete? The recorded runs of simhash say
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_PRESENCE_INDEX_AGE_H
#define SIMHASH_PRESENCE_INDEX_AGE_H

#include "find/rule/finder.h"
#include "store/names/scan_run.h"

/* The times of the last runs that indexed some sides, and the files that they could not read. */
struct index_age {
	int64_t oldest_ns, newest_ns; /* 0: there is no finished run */
	bool was_begun;		      /* is there a run? */
	uint64_t errors;
};

/* Add up the runs of these sides, or all runs if there are no sides. */
struct index_age index_age_of(const struct finder *finder, const struct scan_run_list *list,
			      const struct find_side *sides, size_t count);

/* Count the runs of a side that did not end, and whose roots were never indexed completely. */
uint64_t runs_unfinished(const struct finder *finder, const struct scan_run_list *list,
			 const struct find_side *side);

#endif
