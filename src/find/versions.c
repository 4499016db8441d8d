/*
 * Pairs by the keys of sketches: what makes one, and the threads that each take key after key.
 * SPDX-License-Identifier: MIT
 */
#include "find/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "find/sketch_keys.h"

#define VERSION_MIN_RESEMBLANCE 0.7
#define PART_MIN_SHARE 0.85	 /* of the smaller file that is in the larger */
#define PART_MIN_RESEMBLANCE 0.2 /* below it the share is noise */

struct proposing {
	struct finder *finder;
	const struct block *block;
	struct key_room room; /* with the keys of all rows */
	struct first_error first_error;
	atomic_uint next; /* key that no thread has taken */
	pthread_mutex_t lock;
	struct find_counts counts;
};

struct proposer {
	struct proposing *proposing;
	struct pair_reporter reporter;
	struct key_room room;
};

/* ---- The rule ---- */

/* Is the smaller file in the larger one? Then their sizes differ clearly. */
static bool is_part(const struct find_file *x, const struct find_file *y, struct file_pair *pair)
{
	bool x_is_smaller = x->size_bytes < y->size_bytes;
	double share, of_larger;

	if (pair->resemblance < PART_MIN_RESEMBLANCE || !sizes_differ_clearly(x, y) ||
	    !simhash_containment_estimate(&x->sketch, x->size_bytes, &y->sketch, y->size_bytes,
					  &share) ||
	    share < PART_MIN_SHARE)
		return false;
	of_larger = x_is_smaller ? share * (double)x->size_bytes / (double)y->size_bytes
				 : share * (double)y->size_bytes / (double)x->size_bytes;
	pair->is_part = true;
	pair->contained_a = x_is_smaller ? share : of_larger;
	pair->contained_b = x_is_smaller ? of_larger : share;
	return true;
}

bool versions_match(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y, struct file_pair *pair)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							request->versions_ratio_millionths};
	const struct verify_rule *verify = &request->rule.verify;
	/* Reading has a minimum of its own, for what it finds. */
	double minimum = verify->mode == VERIFY_SKETCH && verify->min_resemblance >= 0
				 ? verify->min_resemblance
				 : VERSION_MIN_RESEMBLANCE;

	if (!x->has_sketch || !y->has_sketch || x->size_bytes == 0 || y->size_bytes == 0 ||
	    !simhash_sizes_agree(&ratio, x->size_bytes, y->size_bytes) ||
	    (request->rule.verify.same_extension && x->extension_hash != y->extension_hash))
		return false;
	pair->verification = PAIR_UNVERIFIED;
	estimate_resemblance(x, y, pair);
	if (pair->verification != PAIR_SKETCH || are_identical(x, y))
		return false;
	if (pair->resemblance < minimum && !is_part(x, y, pair))
		return false;
	if (rule_matches(&request->rule, x, y, &(struct file_pair){.a = x}))
		return false;
	pair->distance = simhash_distance(&x->table, &y->table);
	return true;
}

/* ---- All pairs ---- */

static int propose_pair(struct proposer *proposer, uint32_t i, uint32_t j,
			struct simhash_error *error)
{
	const struct block *block = proposer->proposing->block;
	const struct finder *finder = proposer->proposing->finder;
	const struct find_file *x = &block->rows[i], *y = &block->rows[j];
	struct file_pair pair = {.a = x, .b = y};

	if (!finder_crosses(finder, x->sides, y->sides) ||
	    !versions_match(finder->request, x, y, &pair))
		return 0;
	return report_match(&proposer->reporter, &pair, error);
}

static int propose_by_key(struct proposer *proposer, unsigned key, struct simhash_error *error)
{
	struct key_pairs pairs;
	uint32_t x, y;

	key_pairs_begin(&pairs, &proposer->room, proposer->proposing->block, key, key + 1);
	while (key_pairs_next(&pairs, &x, &y))
		if (propose_pair(proposer, x, y, error) != 0)
			return -1;
	return 0;
}

static void *run_proposer(void *argument)
{
	struct proposer *proposer = argument;
	struct proposing *p = proposer->proposing;
	struct simhash_error error;

	while (!first_error_is_set(&p->first_error)) {
		unsigned key = atomic_fetch_add(&p->next, 1);
		if (key >= SKETCH_KEYS)
			break;
		if (propose_by_key(proposer, key, &error) != 0)
			first_error_set(&p->first_error, &error);
	}
	pthread_mutex_lock(&p->lock);
	find_counts_add(&p->counts, &proposer->reporter.counts);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int propose_all(struct proposing *p, unsigned threads, struct simhash_error *error)
{
	struct proposer *proposers = calloc(threads, sizeof *proposers);
	int status = proposers == NULL ? error_set_memory(error)
				       : key_room_fill(&p->room, p->block, error);

	for (unsigned i = 0; status == 0 && i < threads; i++) {
		proposers[i].proposing = p;
		proposers[i].reporter = (struct pair_reporter){.finder = p->finder, .thread = i};
		status = key_room_share(&proposers[i].room, &p->room, error);
	}
	if (status == 0) {
		threads_run(threads, run_proposer, proposers, sizeof *proposers);
		status = first_error_is_set(&p->first_error) ? -1 : 0;
	}
	for (unsigned i = 0; proposers != NULL && i < threads; i++)
		key_room_release_shared(&proposers[i].room);
	key_room_release(&p->room);
	free(proposers);
	return status;
}

int versions_find_all(struct finder *finder, struct simhash_error *error)
{
	struct proposing p = {.finder = finder};
	struct row_stream stream;
	struct block *block = NULL;
	int status;

	first_error_init(&p.first_error, error);
	pthread_mutex_init(&p.lock, NULL);
	row_stream_init(&stream, finder, INT64_MIN, INT64_MAX);
	stream.takes_all = true;
	status = row_stream_next(&stream, &block, error);
	if (status == 1) {
		p.block = block;
		status = propose_all(&p, finder->resources->threads, error);
	}
	block_free(block);
	row_stream_release(&stream);
	pthread_mutex_destroy(&p.lock);
	find_counts_add(&finder->counts, &p.counts);
	return status;
}
