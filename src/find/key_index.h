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

/* All zero to begin with. */
struct key_index {
	const struct block *block;
	struct sketch_keys *keys; /* of each row of the block */
	/*
	 * For each key: the rows that have it, in buckets by the upper bits of its hash, and where
	 * each bucket ends. A row's number is in the lower bits of an entry, and above it further
	 * bits of the hash.
	 */
	uint32_t *entries, *ends;
	size_t row_count, capacity; /* rows that have keys; room for rows */
	unsigned row_bits, bucket_bits;
	uint32_t seed;
	/* The rows that ask: of the block itself, or of one before it, whose keys these are. */
	struct sketch_keys *asking_keys;
	uint32_t *asking_rows; /* that have keys */
	size_t asking_count, asking_capacity;
	/* How far the answers are: the key, the row that asks, and the entries still to be seen. */
	unsigned key;
	size_t row;
	uint32_t at, end;
};

int key_index_fill(struct key_index *index, const struct block *block, struct simhash_error *error);
bool key_index_next_pair(struct key_index *index, struct key_pair *pair);

int key_index_ask(struct key_index *index, const struct block *before, struct simhash_error *error);
bool key_index_next_answer(struct key_index *index, struct key_pair *pair);

void key_index_release(struct key_index *index);

#endif
