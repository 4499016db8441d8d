/*
 * From two files that are a pair to the sink: estimated, counted, and with their copies.
 * Each thread has a reporter of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIR_REPORTER_H
#define SIMHASH_FIND_PAIR_REPORTER_H

#include "find/finder.h"

struct pair_reporter {
	const struct finder *finder;
	unsigned thread;
	struct find_counts counts;
};

/*
 * Put a pair in order, estimate and count it, and hand it to the sink, unless the request drops
 * it. Set are its files and distance, and what another measure said of it.
 */
int report_pair(struct pair_reporter *reporter, struct file_pair pair, struct simhash_error *error);

/* The pair of x and y; with `expand` those of their copies too. */
int report_match(struct pair_reporter *reporter, const struct find_file *x,
		 const struct find_file *y, uint64_t distance, struct simhash_error *error);

/* The pairs of a file that has copies with the new ones, and with `expand` of those with each other. */
int report_copies(struct pair_reporter *reporter, const struct find_file *file,
		  struct simhash_error *error);

static inline void find_counts_add(struct find_counts *sum, const struct find_counts *part)
{
	sum->rows += part->rows;
	sum->identical += part->identical;
	sum->similar += part->similar;
}

#endif
