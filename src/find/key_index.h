/*
 * The new rows of a block by the keys of their sketches: which of them share one with each other, or
 * with rows that come before the block.
 *
 *     key_index_fill(&index, block, &error);
 *     while (key_index_next_pair(&index, &pair))
 *             // rows x < y of the block, y a new one
 *     key_index_ask(&index, before, &error);
 *     while (key_index_next_answer(&index, &pair))
 *             // row x of `before`, new there, and a new row y of the block
 *     key_index_release(&index);
 *
 * Each pair comes once, however many keys it shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_KEY_INDEX_H
#define SIMHASH_FIND_KEY_INDEX_H

#include "find/sketch_keys.h"

struct key_pair {
	uint32_t x, y;
};

/* The rows of a block that have keys. */
struct keyed_rows {
	uint32_t *rows; /* their numbers in the block */
	size_t count, capacity;
	uint32_t *hashes; /* of their first keys, then of their second keys, ... */
};

/* All zero to begin with. */
struct key_index {
	struct keyed_rows own, asking; /* of the block, and of one before it */
	size_t first_new;	       /* of its own */
	/*
	 * For each key: its own rows in buckets by the upper bits of the hash, and where each
	 * bucket ends. The number of a row is in the lower bits of an entry, and above it further
	 * bits of the hash.
	 */
	uint32_t *entries, *ends;
	unsigned row_bits, bucket_bits, filter_bits;
	/* For each key a bit for each value of the upper bits of the hash: does any own row have it? */
	uint64_t *filters;
	uint32_t *passing; /* the rows that ask with the present key and whose bit is set */
	size_t passing_count;
	uint32_t seed;
	/* How far the answers are: the key, the row that asks, and the entries still to be seen. */
	unsigned key;
	size_t row;
	uint32_t at, end;
	/* Where the block asks, rows ask in the order of entries: `row` is one, and this its bucket. */
	size_t bucket;
	uint32_t begin; /* of that */
};

int key_index_fill(struct key_index *index, const struct block *block, struct simhash_error *error);
bool key_index_next_pair(struct key_index *index, struct key_pair *pair);

int key_index_ask(struct key_index *index, const struct block *before, struct simhash_error *error);
bool key_index_next_answer(struct key_index *index, struct key_pair *pair);

void key_index_release(struct key_index *index);

#endif
