/*
 * Indexes rows by the keys of their sketches. The index finds pairs of its rows that share a key,
 * and pairs with other rows that come before them.
 *
 *     key_index_begin(&index, rows, count, first_new, &error);
 *     key_index_spread(&index, 0, index.own.count);   // any number of threads, each a range
 *     key_index_fill(&index, key);                    // any number of threads, each other keys
 *
 *     key_walk_begin(&walk, &index, 0, SKETCH_KEYS);
 *     while (key_walk_next_pair(&walk, &pair))
 *             // rows x < y; y is at least first_new
 *     key_walk_take(&walk, others, other_count, &error);
 *     key_walk_ask(&walk, &index);
 *     while (key_walk_next_answer(&walk, &pair))
 *             // others[x] and row y, which is at least first_new
 *     key_walk_release(&walk);
 *     key_index_release(&index);
 *
 * If walks go over different keys, all walks together return each pair once, no matter how many
 * keys its rows share. Any number of threads may use a filled index, each with its own walk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_KEY_INDEX_H
#define SIMHASH_FIND_KEY_INDEX_H

#include "find/rule/sketch_keys.h"

struct key_pair {
	uint32_t x, y;
};

/* The rows with keys, and the hashes of these keys. */
struct keyed_rows {
	uint32_t *rows; /* the numbers of the rows */
	size_t count, capacity;
	/* The hashes of the first key of all rows, then of the second key of all rows, and so on. */
	uint32_t *hashes;
};

/* All zero at the beginning. */
struct key_index {
	const struct find_file *const *files; /* the files of all rows; borrowed */
	struct keyed_rows own;
	size_t first_new; /* the first new row in `own` */
	/*
	 * For each key: entries of rows, divided into buckets by the upper bits of the hash, and
	 * the end of each bucket. The lower bits of an entry are the number of the row in `own`,
	 * and the upper bits are the next bits of the hash.
	 */
	uint32_t *entries, *ends;
	unsigned row_bits, bucket_bits, filter_bits;
	/*
	 * For each key, one bit for each value of the upper bits of the hash. It is set if a row
	 * has this value.
	 */
	uint64_t *filters;
};

#define NOTED_PAIRS 32

/* Belongs to one thread. All zero at the beginning. */
struct key_walk {
	const struct key_index *index;
	/*
	 * The position: the current key, the current row, and the range of entries to compare it
	 * with.
	 */
	unsigned key, end_key;
	size_t row;
	uint32_t at, end;
	/* For pairs of own rows: `row` is the index of an entry, and this is its bucket. */
	size_t bucket;
	uint32_t begin; /* the beginning of this bucket */
	/* A bit for each value of the highest bits of an entry, set for the entries so far. */
	uint64_t seen;
	/*
	 * Pairs that probably share the key. Several are collected before they are checked, because
	 * the hashes are far apart in memory and are loaded meanwhile.
	 */
	struct key_pair noted[NOTED_PAIRS];
	unsigned noted_at, noted_count;
	/*
	 * The other rows, and the numbers of those that may share the current key with an own row.
	 */
	struct keyed_rows asking;
	uint32_t *passing;
	size_t passing_count;
};

/* Number the rows, which must stay valid until the index is filled. */
int key_index_begin(struct key_index *index, const struct find_file *const *rows, size_t count,
		    size_t first_new, struct simhash_error *error);

/* Compute the keys of own rows `begin` .. `end` - 1. */
void key_index_spread(struct key_index *index, size_t begin, size_t end);

/* After the keys of all rows were computed: fill the buckets of one key. */
void key_index_fill(struct key_index *index, unsigned key);

void key_index_release(struct key_index *index);

/*
 * Return the pairs of own rows that share one of the keys `key` .. `end_key` - 1, and no earlier
 * key.
 */
void key_walk_begin(struct key_walk *walk, const struct key_index *index, unsigned key,
		    unsigned end_key);
bool key_walk_next_pair(struct key_walk *walk, struct key_pair *pair);

/* Return the pairs of own rows with other rows, whose keys key_walk_take() computes. */
int key_walk_take(struct key_walk *walk, const struct find_file *rows, size_t count,
		  struct simhash_error *error);
void key_walk_ask(struct key_walk *walk, const struct key_index *index);
bool key_walk_next_answer(struct key_walk *walk, struct key_pair *pair);

void key_walk_release(struct key_walk *walk);

#endif
