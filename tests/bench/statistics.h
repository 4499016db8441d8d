/*
 * What the paper measures of finding (chapter 5): how many pairs pass each step, for
 * each key and any number of tolerances. Pairs are those of files, copies counted one
 * by one, and no pair is listed.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BENCH_STATISTICS_H
#define SIMHASH_BENCH_STATISTICS_H

#include "find/rule/find.h"

/* Of one key at one tolerance. Counts of pairs. */
struct key_statistics {
	uint64_t key_hits;	  /* step 1 */
	uint64_t size_rejections; /* of these, dropped by step 2 */
	uint64_t sum_table_hits;  /* what passed steps 1 to 3 */
	uint64_t identical;	  /* of these, of the same content */
	uint64_t exact_hits; /* what steps 2 and 3 pass; with `_ext`, of equal extension hash */
};

struct statistics {
	uint64_t rows, bytes;
	uint64_t collisions[SIMHASH_KEYS]; /* pairs of equal keys */
	size_t tolerances;
	const int64_t *percent_millionths;	     /* ascending; borrowed */
	struct key_statistics (*keys)[SIMHASH_KEYS]; /* one for each tolerance */
};

/*
 * Count for the tolerances given, in place of the rule's own. Memory: 40 bytes a row, and the
 * window of the sweep.
 */
int statistics_take(struct store *store, const struct find_request *request,
		    const struct find_resources *resources, const int64_t *percent_millionths,
		    size_t tolerances, struct statistics *statistics, struct simhash_error *error);
void statistics_release(struct statistics *statistics);

#endif
