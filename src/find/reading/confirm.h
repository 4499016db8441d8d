/*
 * Confirms or drops pairs by reading their files: measures how much of each file is found in the
 * other.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONFIRM_H
#define SIMHASH_FIND_CONFIRM_H

#include "find/pairs/pairs.h"
#include "find/reading/content_cache.h"
#include "find/rule/find.h"

struct confirm_request {
	bool reads_all;		     /* else leave unread what hashes and sketches settle */
	bool with_parts;	     /* keep pairs of which one file is in the other */
	double min_resemblance;	     /* 0 to 1: pairs that were read and are below it are dropped */
	struct sandbox_use *sandbox; /* in which archives are read; NULL: in this process */
};

/*
 * Reading pairs one by one. The files of a pair have numbers as content_cache.h wants them. Any
 * thread may ask.
 */
struct confirmer {
	const struct confirm_request *request;
	struct content_cache cache;
	struct first_error first_error;
};

/* Borrows all. `error` is that of the first thread that fails: see first_error_is_set. */
void confirmer_init(struct confirmer *confirmer, const struct confirm_request *request,
		    const struct find_sink *sink, struct simhash_error *error);
void confirmer_release(struct confirmer *confirmer);

/* Settle a pair, by reading where that is needed: is it one? */
bool confirmer_keeps(struct confirmer *confirmer, struct file_pair *pair);

/*
 * Read the files of pairs, each once while memory allows, those of connected pairs together and
 * in the order of their inodes. Sets the verification of every pair that is read, and whether it
 * is identical; drops what resembles too little from the list. Of a file that is part of the other,
 * the share that is there counts instead of the resemblance.
 *
 * With m the mean of the bytes of a found in b and of b found in a, containment is the
 * share found of each file, and resemblance m / (|a| + |b| - m), as Broder's.
 */
int confirm_pairs(struct pair_list *list, const struct confirm_request *request,
		  const struct find_sink *sink, const struct find_resources *resources,
		  struct simhash_error *error);

#endif
