/*
 * Passes pairs of files to the sink: in order, counted, and with their copies. Each thread has its
 * own reporter.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIR_REPORTER_H
#define SIMHASH_FIND_PAIR_REPORTER_H

#include "find/rule/finder.h"

struct pair_reporter {
	const struct finder *finder;
	unsigned thread;
	struct find_counts counts;
};

/* Does the request want pairs of this kind? */
bool pair_is_wanted(const struct find_request *request, const struct relation *relation);

/*
 * Put a pair in order, count it, and hand it to the sink, unless it is one of two names of a file or of a
 * kind that is not wanted.
 * Set are its files, its distance, and what verified it, unless it is identical.
 */
int report_pair(struct pair_reporter *reporter, struct file_pair pair, struct simhash_error *error);

/* A pair that the rule made; with `expand` those of the copies of its files too. */
int report_match(struct pair_reporter *reporter, const struct file_pair *pair,
		 struct simhash_error *error);

/* The pairs of a file that has copies with the new ones, and with `expand` of those with each other. */
int report_copies(struct pair_reporter *reporter, const struct find_file *file,
		  struct simhash_error *error);

static inline void find_counts_add(struct find_counts *sum, const struct find_counts *part)
{
	sum->rows += part->rows;
	sum->identical += part->identical;
	sum->similar += part->similar;
	sum->unsketched += part->unsketched;
}

#endif
