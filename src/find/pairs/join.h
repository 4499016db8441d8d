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
 * One thread executes the first half in this order. Any number of threads execute the second half,
 * each with its own join_search.
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

/* The sizes of the rows whose reach is from 2^(power - 1) to below 2^power. */
struct join_power {
	int64_t min_size, max_size; /* if there are no rows, the minimum is above the maximum */
};

/* All zero at the beginning. It can be used again, and keeps its memory. */
struct join {
	const struct find_request *request;
	const struct find_rule *rule; /* the rule of the request */
	bool is_keyed;		      /* are some pairs found by keys of sketches? */
	bool all_sketched;	      /* do all rows, including the earlier rows, have sketches? */
	near_fn *near;
	const struct find_file **files; /* the rows of all blocks, one block after another */
	size_t count, first_new;
	struct join_power powers[POWERS];
	unsigned lowest, highest; /* the lowest and highest power that occur */
	int64_t *order_sum;	  /* a signed sum of each row; see join.c */
	uint64_t *cell;		  /* the hash of the cell of each row */
	struct sort_item *entries, *spare;
	/* Values of the rows in the order of cells. */
	uint32_t *number;
	struct near_rows rows;
	int64_t *marks; /* the order sum of every LANES-th row */
	size_t capacity;
	struct slots cell_slots;
	struct cell *cells;
	size_t cell_count, cell_capacity;
	struct key_index keys;
};

/* The data of one thread. All zero at the beginning, except for the reporter. */
struct join_search {
	struct pair_reporter reporter;
	struct key_walk walk;
	struct sort_item *order, *spare_order; /* the order of rows before a block */
	size_t order_capacity;
};

void join_release(struct join *join);
void join_search_release(struct join_search *search);

/* The approximate size of a row of a block, with all data that a join stores about it. */
#define JOIN_ROW_BYTES 1200

/*
 * Begin with blocks that are sorted by their keys and have at least one row. Only the first block
 * may have rows that are not new. The blocks and the request must stay valid.
 */
int join_begin(struct join *join, const struct block *const *blocks, size_t count,
	       const struct find_request *request, bool all_sketched, struct simhash_error *error);

/*
 * Compute the sort keys of the rows `begin` .. `end` - 1, and the sketch keys of the own rows among
 * them.
 */
void join_sum(struct join *join, size_t begin, size_t end);

/* Call it when all rows have their sums. */
int join_sort(struct join *join, struct simhash_error *error);

/*
 * Enter the rows with the places `begin` .. `end` - 1 in the order of cells. `begin` is a multiple
 * of LANES.
 */
void join_place(struct join *join, size_t begin, size_t end);

/*
 * Report the pairs that have near counts and at least one new row, for the places `begin` .. `end`
 * - 1 in the order of cells. Each pair is found from only one of its two places.
 */
int join_within(const struct join *join, size_t begin, size_t end, struct join_search *search,
		struct simhash_error *error);

/* Report the other pairs, by the keys `key` .. `end_key` - 1 of their sketches. */
int join_within_keys(const struct join *join, unsigned key, unsigned end_key,
		     struct join_search *search, struct simhash_error *error);

/* Report every pair of a new row with one of these rows, which precede all rows of the blocks. */
int join_before(const struct join *join, const struct find_file *rows, size_t count,
		struct join_search *search, struct simhash_error *error);

#endif
