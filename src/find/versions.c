/*
 * The keys of sketches, and the files that share one.
 * SPDX-License-Identifier: MIT
 */
#include "find/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "find/block.h"

#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS
#define KEYS 32 /* of each file */

#define VERSION_MIN_RESEMBLANCE 0.7
#define PART_MIN_SHARE 0.85	 /* of the smaller file that is in the larger */
#define PART_MIN_RESEMBLANCE 0.2 /* below it the share is noise */

/* The registers with the empty ones filled. */
struct keyed {
	uint32_t key[KEYS];
};
_Static_assert(sizeof(struct keyed) == REGISTERS, "four registers a key");

struct entry {
	uint32_t key, file;
};

struct proposing {
	struct finder *finder;
	const struct block *block;
	struct keyed *keyed;
	struct first_error first_error;
	atomic_uint next; /* key that no thread has taken */
	pthread_mutex_t lock;
	struct find_counts counts;
};

struct proposer {
	struct proposing *proposing;
	struct pair_reporter reporter;
	struct entry *entries, *spare;
};

/* ---- The rule ---- */

bool versions_match(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y, struct file_pair *pair)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							request->versions_ratio_millionths};
	double smaller, larger, share, minimum = request->rule.verify.min_resemblance;

	if (!x->has_sketch || !y->has_sketch || x->size_bytes == 0 || y->size_bytes == 0 ||
	    !simhash_sizes_agree(&ratio, x->size_bytes, y->size_bytes) ||
	    (request->rule.verify.same_extension && x->extension_hash != y->extension_hash))
		return false;
	pair->verification = PAIR_UNVERIFIED;
	estimate_resemblance(x, y, pair);
	if (pair->verification != PAIR_SKETCH || are_identical(x, y))
		return false;
	if (pair->resemblance < (minimum >= 0 ? minimum : VERSION_MIN_RESEMBLANCE)) {
		if (pair->resemblance < PART_MIN_RESEMBLANCE ||
		    !simhash_containment_estimate(&x->sketch, x->size_bytes, &y->sketch,
						  y->size_bytes, &share) ||
		    share < PART_MIN_SHARE)
			return false;
		smaller = (double)(x->size_bytes < y->size_bytes ? x->size_bytes : y->size_bytes);
		larger = (double)(x->size_bytes < y->size_bytes ? y->size_bytes : x->size_bytes);
		pair->is_part = true;
		pair->contained_a = x->size_bytes < y->size_bytes ? share
								  : share * smaller / larger;
		pair->contained_b = x->size_bytes < y->size_bytes ? share * smaller / larger
								  : share;
	}
	if (rule_matches(&request->rule, x, y, &(struct file_pair){.a = x}))
		return false;
	pair->distance = simhash_distance(&x->table, &y->table);
	return true;
}

/* ---- Keys ---- */

/*
 * Empty registers get the value of the next one that is not, changed by how far that is: else files
 * with few shingles would share no key. The same is done to each file, so resemblance decides still.
 */
static void make_keys(const struct simhash_resemblance_sketch *sketch, struct keyed *keyed)
{
	uint8_t filled[REGISTERS];
	unsigned distance = 0;
	uint8_t value = 0;

	for (unsigned i = 2 * REGISTERS; i-- > 0;) {
		uint8_t own = sketch->registers[i % REGISTERS];
		distance = own != 0 ? 0 : distance + 1;
		value = own != 0 ? own : value;
		filled[i % REGISTERS] = (uint8_t)(value + distance * 37);
	}
	memcpy(keyed->key, filled, sizeof filled);
}

/* Files without one shingle have all keys in common, and no estimate. */
static bool has_shingles(const struct find_file *file)
{
	static const struct simhash_resemblance_sketch blank;

	return file->has_sketch && memcmp(&file->sketch, &blank, sizeof blank) != 0;
}

/* The entries in the order of their keys. */
static void sort_entries(struct proposer *proposer, size_t count)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		struct entry *from = proposer->entries;
		size_t at[257] = {0};
		for (size_t i = 0; i < count; i++)
			at[(from[i].key >> shift & 0xff) + 1]++;
		for (int b = 0; b < 256; b++)
			at[b + 1] += at[b];
		for (size_t i = 0; i < count; i++)
			proposer->spare[at[from[i].key >> shift & 0xff]++] = from[i];
		proposer->entries = proposer->spare;
		proposer->spare = from;
	}
}

/* Do they share a key before this one? Then they were compared by that. */
static bool share_earlier(const struct keyed *x, const struct keyed *y, unsigned key)
{
	for (unsigned k = 0; k < key; k++)
		if (x->key[k] == y->key[k])
			return true;
	return false;
}

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

/* Compare all files that have one of the keys in common. */
static int propose_by_key(struct proposer *proposer, unsigned key, struct simhash_error *error)
{
	struct proposing *p = proposer->proposing;
	size_t count = 0;

	for (size_t i = 0; i < p->block->count; i++)
		if (has_shingles(&p->block->rows[i]))
			proposer->entries[count++] =
				(struct entry){p->keyed[i].key[key], (uint32_t)i};
	sort_entries(proposer, count);
	for (size_t begin = 0, end; begin < count; begin = end) {
		const struct entry *entries = proposer->entries;
		for (end = begin + 1; end < count && entries[end].key == entries[begin].key; end++)
			for (size_t i = begin; i < end; i++)
				if (!share_earlier(&p->keyed[entries[i].file],
						   &p->keyed[entries[end].file], key) &&
				    propose_pair(proposer, entries[i].file, entries[end].file,
						 error) != 0)
					return -1;
	}
	return 0;
}

static void *run_proposer(void *argument)
{
	struct proposer *proposer = argument;
	struct proposing *p = proposer->proposing;
	struct simhash_error error;

	while (!first_error_is_set(&p->first_error)) {
		unsigned key = atomic_fetch_add(&p->next, 1);
		if (key >= KEYS)
			break;
		if (propose_by_key(proposer, key, &error) != 0)
			first_error_set(&p->first_error, &error);
	}
	pthread_mutex_lock(&p->lock);
	find_counts_add(&p->counts, &proposer->reporter.counts);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- All pairs ---- */

static int propose_all(struct proposing *p, unsigned threads, struct simhash_error *error)
{
	struct proposer *proposers = calloc(threads, sizeof *proposers);
	size_t count = p->block->count + 1;
	int status = 0;

	p->keyed = malloc(count * sizeof *p->keyed);
	if (proposers == NULL || p->keyed == NULL)
		status = error_set_memory(error);
	for (unsigned i = 0; status == 0 && i < threads; i++) {
		proposers[i].proposing = p;
		proposers[i].reporter = (struct pair_reporter){.finder = p->finder, .thread = i};
		proposers[i].entries = malloc(count * sizeof *proposers[i].entries);
		proposers[i].spare = malloc(count * sizeof *proposers[i].spare);
		if (proposers[i].entries == NULL || proposers[i].spare == NULL)
			status = error_set_memory(error);
	}
	if (status == 0) {
		for (size_t i = 0; i < p->block->count; i++)
			make_keys(&p->block->rows[i].sketch, &p->keyed[i]);
		threads_run(threads, run_proposer, proposers, sizeof *proposers);
		status = first_error_is_set(&p->first_error) ? -1 : 0;
	}
	for (unsigned i = 0; proposers != NULL && i < threads; i++) {
		free(proposers[i].entries);
		free(proposers[i].spare);
	}
	free(p->keyed);
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
	row_stream_init(&stream, finder, INT64_MIN, INT64_MAX, ORDER_BY_SORTING);
	stream.takes_all = true;
	stream.store = finder->store;
	status = row_stream_next(&stream, &block, error);
	if (status == 1) {
		p.block = block;
		status = propose_all(&p, finder->resources->threads, error);
	}
	block_free(block);
	row_stream_release(&stream);
	pthread_mutex_destroy(&p.lock);
	p.counts.rows = 0; /* they were counted before */
	find_counts_add(&finder->counts, &p.counts);
	return status;
}
