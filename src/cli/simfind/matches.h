/*
 * The matches of each FILE: collects the FILEs while they are searched for, and then sorts the pairs
 * that were found into one group for each, whose first file is the FILE.
 *
 *     matches_ask(&matches, file, &error);            // for each FILE
 *     matches_take(&matches, &pairs, &order, &error);
 *     matches_each(&matches, listing, listing_write_block, &error);
 *     matches_release(&matches);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_MATCHES_H
#define SIMHASH_CLI_MATCHES_H

#include "base/data/arena.h"
#include "find/pairs/pairs.h"
#include "report/lists/listing.h"

struct match;

struct matches {
	struct arena arena; /* of the FILEs */
	struct asked_file {
		const struct find_file *file;
		size_t first, count; /* of its matches */
	} * asked;
	size_t asked_count, asked_capacity;
	struct match *items; /* in the order of FILEs */
	size_t count, capacity;
	uint64_t limit;		       /* of the matches of a FILE; 0: none */
	uint64_t identical, unmatched; /* matches; FILEs without any */
	uint64_t left_out;
};

/* A FILE, or a member of one; it is copied. */
int matches_ask(struct matches *matches, const struct find_file *file, struct simhash_error *error);

/* The files of the pairs are borrowed. */
int matches_take(struct matches *matches, const struct pair_list *pairs,
		 const struct listing_order *order, struct simhash_error *error);

/* Do so with the group of each FILE; and of a member of one, if it has matches. */
int matches_each(const struct matches *matches, struct listing *listing, listed_group_fn *each,
		 struct simhash_error *error);

void matches_release(struct matches *matches);

#endif
