/*
 * Confirms or drops pairs by reading their files: measures how much of each file is found in the
 * other file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONFIRM_H
#define SIMHASH_FIND_CONFIRM_H

#include "find/pairs/pairs.h"
#include "find/reading/content_cache.h"
#include "find/rule/find.h"

struct confirm_request {
	bool reads_all;	 /* false: do not read pairs that hashes and sketches decide */
	bool with_parts; /* keep pairs in which one file is part of the other */
	/* 0 to 1: drop pairs that were read and resemble each other less */
	double min_resemblance;
	struct sandbox_use *sandbox; /* reads archives; NULL: this process reads them */
	/* Find the places of parts. Can standard input be read from its beginning? */
	bool with_places, rereads_stdin;
};

/*
 * Reads pairs one by one. The files of a pair have numbers as content_cache.h requires. Any thread
 * may use it.
 */
struct confirmer {
	const struct confirm_request *request;
	struct content_cache cache;
	struct first_error first_error;
};

/*
 * All arguments must stay valid. `error` is set by the first thread that fails: see
 * first_error_is_set.
 */
void confirmer_init(struct confirmer *confirmer, const struct confirm_request *request,
		    const struct find_sink *sink, struct simhash_error *error);
void confirmer_release(struct confirmer *confirmer);

/* Is this a pair? Reads the files if necessary. */
bool confirmer_keeps(struct confirmer *confirmer, struct file_pair *pair);

/*
 * Read the files of pairs: each file once if memory allows, and files of connected pairs together
 * and in the order of their inodes. For every pair that is read, this sets the verification and
 * whether it is identical; it removes pairs with too little resemblance from the list. If one file
 * is part of the other, the contained share is used instead of the resemblance.
 *
 * The containment of a file is the share of its bytes that is found in the other file. The
 * resemblance is m / (|a| + |b| - m), as defined by Broder, where m is the mean of the bytes of a
 * found in b and the bytes of b found in a.
 */
int confirm_pairs(struct pair_list *list, const struct confirm_request *request,
		  const struct find_sink *sink, const struct find_resources *resources,
		  struct simhash_error *error);

#endif
