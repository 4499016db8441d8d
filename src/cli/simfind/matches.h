/*
 * Sorts pairs into the matches of each FILE. It collects the FILEs during the search, and then
 * makes one group of pairs for each FILE; the FILE is the first file of its group.
 *
 *     matches_ask(&matches, file, is_named, &error);            // for each FILE
 *     matches_take(&matches, &pairs, &order, &shared, &error);
 *     matches_each(&matches, listing, listing_write_block, &error);
 *     matches_release(&matches);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_MATCHES_H
#define SIMHASH_CLI_MATCHES_H

#include "base/data/arena.h"
#include "find/pairs/pairs.h"
#include "find/reading/shared_copies.h"
#include "report/lists/listing.h"

struct match;

struct matches {
	struct arena arena; /* holds the FILEs */
	struct asked_file {
		const struct find_file *file;
		bool is_named;	     /* it is a FILE, and not the content or a member of one */
		size_t first, count; /* the range of its matches in `items` */
	} * asked;
	size_t asked_count, asked_capacity;
	struct match *items; /* sorted by FILE */
	size_t count, capacity;
	uint64_t limit; /* the most matches to list for a FILE; 0: all */
	/* The number of identical matches, and of FILEs without matches. */
	uint64_t identical, unmatched;
	uint64_t shared; /* identical matches that already share their blocks with the FILE */
	uint64_t left_out;
};

/* Add a FILE that is named, or the content or a member of one. The file is copied. */
int matches_ask(struct matches *matches, const struct find_file *file, bool is_named,
		struct simhash_error *error);

/* Sort the pairs of these FILEs. The files of the pairs are borrowed. */
int matches_take(struct matches *matches, const struct pair_list *pairs,
		 const struct listing_order *order, struct shared_copies *shared,
		 struct simhash_error *error);

/* Call `each` with the group of each FILE, and of each member of an archive that has matches. */
int matches_each(const struct matches *matches, struct listing *listing, listed_group_fn *each,
		 struct simhash_error *error);

void matches_release(struct matches *matches);

#endif
