/*
 * Finds the pairs within some blocks of rows, and the pairs between new rows and rows before the
 * blocks.
 *
 *     join_begin(&join, blocks, count, request, all_sketched, &error);
 *     join_sum(&join, begin, end);            // all rows, by any number of threads
 *     join_sort(&join, &error);
 *     join_place(&join, begin, end);          // all rows; and key_index_fill() of join.keys
 *
 *     join_within(&join, begin, end, &search, &error);
 *     join_within_keys(&join, 0, SKETCH_KEYS, &search, &error);
 *     join_before(&join, rows, row_count, &search, &error);
 *     join_search_release(&search);
 *     join_release(&join);
 *
 * One thread executes the lines of the first half in this order. Any number of threads execute the
 * lines of the second half, each with its own join_search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_JOIN_H
#define SIMHASH_FIND_JOIN_H

#include "base/sort/sort.h"
#include "find/pairs/block.h"
#include "find/pairs/key_index.h"
#include "find/pairs/pair_reporter.h"
#include "find/rule/near.h"

/* The sizes of the rows whose reach is below 2^power, and not below half of that. */
struct join_power {
	int64_t min_size, max_size; /* none: the minimum above the maximum */
};

/* All zero to begin with. Its memory serves again and again. */
struct join {
	const struct find_request *request;
	const struct find_rule *rule; /* of the request */
	bool is_keyed;		      /* are there pairs that keys of sketches find? */
	bool all_sketched;	      /* have all rows, also those before, sketches? */
	near_fn *near;
	const struct find_file **files; /* the rows of the blocks, one block after the other */
	size_t count, first_new;
	struct join_power powers[POWERS];
	unsigned lowest, highest; /* of the powers present */
	int64_t *order_sum;	  /* a signed sum of each row; see join.c */
	uint64_t *cell;		  /* of each row: its hash */
	struct sort_item *entries, *spare;
	/* Of the rows in the order of cells. */
	uint32_t *number;
	struct near_rows rows;
	int64_t *marks; /* the order sum of each LANES-th */
	size_t capacity;
	struct slots cell_slots;
	struct cell *cells;
	size_t cell_count, cell_capacity;
	struct key_index keys;
};

/* Of one thread. All zero to begin with, but for the reporter. */
struct join_search {
	struct pair_reporter reporter;
	struct key_walk walk;
	struct sort_item *order, *spare_order; /* of rows before a block */
	size_t order_capacity;
};

void join_release(struct join *join);
void join_search_release(struct join_search *search);

/* About how many bytes a row of a block takes, with what a join keeps of it. */
#define JOIN_ROW_BYTES 1200

/*
 * Begin with blocks in the order of their keys, with a row or more together. Only the first may have
 * rows that are not new. Borrows them, and the request.
 */
int join_begin(struct join *join, const struct block *const *blocks, size_t count,
	       const struct find_request *request, bool all_sketched, struct simhash_error *error);

/* Compute what rows `begin` .. `end` - 1 are sorted by, and the keys of own rows of that share. */
void join_sum(struct join *join, size_t begin, size_t end);

/* When all rows have their sums. */
int join_sort(struct join *join, struct simhash_error *error);

/* Enter those that have the places `begin` .. `end` - 1 in the order of cells: LANES or a multiple. */
void join_place(struct join *join, size_t begin, size_t end);

/*
 * Report the pairs of a new row and a row before it whose counts are near: for the places `begin` ..
 * `end` - 1 in the order of cells. Each pair is found from one of its two places.
 */
int join_within(const struct join *join, size_t begin, size_t end, struct join_search *search,
		struct simhash_error *error);

/* The same for the other pairs, by the keys `key` .. `end_key` - 1 of their sketches. */
int join_within_keys(const struct join *join, unsigned key, unsigned end_key,
		     struct join_search *search, struct simhash_error *error);

/* Report every pair of a new row and one of these, which come before all rows of the blocks. */
int join_before(const struct join *join, const struct find_file *rows, size_t count,
		struct join_search *search, struct simhash_error *error);

#endif
