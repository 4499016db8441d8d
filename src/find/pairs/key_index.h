/*
 * An index of rows by the keys of their sketches. It finds rows that share a key with each other,
 * or with other rows that come before them.
 *
 *     key_index_begin(&index, rows, count, first_new, &error);
 *     key_index_spread(&index, 0, index.own.count);   // in pieces, by any number of threads
 *     key_index_fill(&index, key);                    // each key, by any number of threads
 *
 *     key_walk_begin(&walk, &index, 0, SKETCH_KEYS);
 *     while (key_walk_next_pair(&walk, &pair))
 *             // rows x < y, y from first_new on
 *     key_walk_take(&walk, others, other_count, &error);
 *     key_walk_ask(&walk, &index);
 *     while (key_walk_next_answer(&walk, &pair))
 *             // others[x] and row y, from first_new on
 *     key_walk_release(&walk);
 *     key_index_release(&index);
 *
 * Each pair comes once, no matter how many keys it shares, for all walks over different keys
 * together. Any number of threads may walk through a filled index, each with its own walk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_KEY_INDEX_H
#define SIMHASH_FIND_KEY_INDEX_H

#include "find/rule/sketch_keys.h"

struct key_pair {
	uint32_t x, y;
};

/* Those of some rows that have keys. */
struct keyed_rows {
	uint32_t *rows; /* their numbers */
	size_t count, capacity;
	uint32_t *hashes; /* of their first keys, then of their second keys, ... */
};

/* All zero to begin with. */
struct key_index {
	const struct find_file *const *files; /* of the rows; borrowed */
	struct keyed_rows own;
	size_t first_new; /* of these */
	/*
	 * For each key: the rows in buckets by the upper bits of the hash, and where each
	 * bucket ends. The number of a row is in the lower bits of an entry, and above it further
	 * bits of the hash.
	 */
	uint32_t *entries, *ends;
	unsigned row_bits, bucket_bits, filter_bits;
	/* For each key a bit for each value of the upper bits of the hash: does any row have it? */
	uint64_t *filters;
};

#define NOTED_PAIRS 32

/* Of one thread. All zero to begin with. */
struct key_walk {
	const struct key_index *index;
	/* How far it is: the key, the row that asks, and the entries still to be seen. */
	unsigned key, end_key;
	size_t row;
	uint32_t at, end;
	/* Where its own rows ask, they do in the order of entries: `row` is one, and this its bucket. */
	size_t bucket;
	uint32_t begin; /* of that */
	uint64_t seen;	/* of the entries from there on, a bit of 64 for what each begins with */
	/*
	 * Pairs that seem to share the key. Whether they do is looked at for several together: what
	 * that needs is far apart in memory.
	 */
	struct key_pair noted[NOTED_PAIRS];
	unsigned noted_at, noted_count;
	/* Other rows that ask, and which of them may have an answer for the present key. */
	struct keyed_rows asking;
	uint32_t *passing;
	size_t passing_count;
};

/* Number the rows. Borrows them until the index is filled. */
int key_index_begin(struct key_index *index, const struct find_file *const *rows, size_t count,
		    size_t first_new, struct simhash_error *error);

/* Make the keys of own rows `begin` .. `end` - 1. */
void key_index_spread(struct key_index *index, size_t begin, size_t end);

/* When all keys are made: fill the buckets of one of them. */
void key_index_fill(struct key_index *index, unsigned key);

void key_index_release(struct key_index *index);

/* The pairs of own rows that share one of the keys `key` .. `end_key` - 1, and none before it. */
void key_walk_begin(struct key_walk *walk, const struct key_index *index, unsigned key,
		    unsigned end_key);
bool key_walk_next_pair(struct key_walk *walk, struct key_pair *pair);

/* The rows that ask. */
int key_walk_take(struct key_walk *walk, const struct find_file *rows, size_t count,
		  struct simhash_error *error);
void key_walk_ask(struct key_walk *walk, const struct key_index *index);
bool key_walk_next_answer(struct key_walk *walk, struct key_pair *pair);

void key_walk_release(struct key_walk *walk);

#endif
