/*
 * Settling pairs by their content: how much of each file is found in the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONFIRM_H
#define SIMHASH_FIND_CONFIRM_H

#include "find/find.h"
#include "find/pairs.h"

struct confirm_options {
	bool only_doubtful;	/* leave unread what the estimate settles */
	double min_resemblance; /* 0 to 1: measured pairs below it are dropped */
	unsigned threads;
	/*
	 * A file cannot be read as it was indexed, and its pairs stay unconfirmed: with
	 * an errno, or 0 where it has changed. Told once a file, by any thread.
	 */
	void (*unreadable)(void *context, const struct find_file *file, int system_errno);
	struct find_progress *progress; /* kept up to date; or NULL */
	void *context;
};

/*
 * Read the files of all pairs, each once while memory allows, those of connected
 * pairs together and in the order of their inodes. Sets the state of every pair, and
 * whether it is identical; drops what resembles too little from the list.
 *
 * With m the mean of the bytes of a found in b and of b found in a, containment is the
 * share found of each file, and resemblance m / (|a| + |b| - m), as Broder's.
 */
int confirm_pairs(struct pair_list *list, const struct confirm_options *options,
		  struct simhash_error *error);

#endif
