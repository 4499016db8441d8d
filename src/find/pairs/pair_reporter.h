/*
 * Passes pairs of files and their copies to the sink, with the files of each pair in order, and
 * counts them. Each thread has its own reporter.
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
 * Put the files of a pair in order, count the pair, and pass it to the sink. Skip two names of one
 * file, and kinds of pairs that the request does not want. The caller sets the files and the
 * distance, and the verification unless the files are identical.
 */
int report_pair(struct pair_reporter *reporter, struct file_pair pair, struct simhash_error *error);

/* Report a pair of the rule and, with `expand`, the pairs of the copies of its files. */
int report_match(struct pair_reporter *reporter, const struct file_pair *pair,
		 struct simhash_error *error);

/*
 * Report the pairs of a file with its new copies and, with `expand`, the pairs of these copies with
 * each other.
 */
int report_copies(struct pair_reporter *reporter, const struct find_file *file,
		  struct simhash_error *error);

/*
 * After all other pairs: if the pairs of the members of archives are left out, report the archives
 * that have mostly the same members.
 */
int report_archives(struct finder *finder, struct simhash_error *error);

static inline void find_counts_add(struct find_counts *sum, const struct find_counts *part)
{
	sum->rows += part->rows;
	sum->identical += part->identical;
	sum->similar += part->similar;
	sum->unsketched += part->unsketched;
	sum->folded += part->folded;
	sum->brief += part->brief;
	sum->elsewhere += part->elsewhere;
}

#endif
