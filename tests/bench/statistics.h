/*
 * Counts what the paper measures about searches (chapter 5): the number of pairs that pass each
 * step, for each key and any number of tolerances. Pairs are pairs of files, with every copy
 * counted, and no pair is listed.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BENCH_STATISTICS_H
#define SIMHASH_BENCH_STATISTICS_H

#include "find/rule/find.h"

/* The counts of pairs for one key at one tolerance. */
struct key_statistics {
	uint64_t key_hits;	  /* step 1 */
	uint64_t size_rejections; /* dropped by step 2 */
	uint64_t sum_table_hits;  /* pairs that passed steps 1 to 3 */
	uint64_t identical;	  /* sum-table hits with the same content */
	/* Pairs that pass steps 2 and 3; with `_ext`, with equal extension hashes. */
	uint64_t exact_hits;
};

struct statistics {
	uint64_t rows, bytes;
	uint64_t collisions[SIMHASH_KEYS]; /* pairs of equal keys */
	size_t tolerances;
	const int64_t *percent_millionths;	     /* ascending; must stay valid */
	struct key_statistics (*keys)[SIMHASH_KEYS]; /* one for each tolerance */
};

/*
 * Count for the given tolerances instead of the rule's own. Memory: 40 bytes per row, plus the
 * window of the sweep.
 */
int statistics_take(struct store *store, const struct find_request *request,
		    const struct find_resources *resources, const int64_t *percent_millionths,
		    size_t tolerances, struct statistics *statistics, struct simhash_error *error);
void statistics_release(struct statistics *statistics);

#endif
