/*
 * The pairs of a block, and of rows before it with its new ones.
 *
 *     join_begin(&join, block, &error);
 *     join_within(&join, &error);
 *     join_before(&join, before, &error);     // for blocks of the rows before it
 *     join_release(&join);                    // after all blocks
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_JOIN_H
#define SIMHASH_FIND_JOIN_H

#include "base/sort.h"
#include "find/block.h"
#include "find/key_index.h"
#include "find/near.h"
#include "find/pair_reporter.h"

/* The sizes of the rows whose reach is below 2^power, and not below half of that. */
struct join_power {
	int64_t min_size, max_size; /* none: the minimum above the maximum */
};

/* Of a thread. All zero to begin with, but for the reporter. Its memory serves block after block. */
struct join {
	struct pair_reporter reporter;
	const struct find_rule *rule;
	near_fn *near;
	const struct block *block;
	struct join_power powers[POWERS];
	unsigned lowest, highest;      /* of the powers present */
	int64_t *grid_sum, *order_sum; /* signed sums of each row; see join.c */
	uint64_t *cell;		       /* of each row: its hash */
	struct sort_item *entries, *spare;
	/* Of the rows in the order of cells. */
	uint32_t *number;
	struct near_rows rows;
	int64_t *marks; /* the order sum of each LANES-th */
	size_t capacity;
	struct cell *cells;
	size_t cell_slots, cell_capacity; /* slots in use: a power of two */
	struct key_index keys;
	struct sort_item *order, *spare_order; /* of rows before the block */
	size_t order_capacity;
};

void join_release(struct join *join);

/* About how many bytes a row of a block takes, with what a join keeps of it. */
#define JOIN_ROW_BYTES 1200

/*
 * Prepare for the pairs of a block, which is borrowed, and report its copies. One without rows is
 * only counted.
 */
int join_begin(struct join *join, const struct block *block, struct simhash_error *error);

/* Report every pair of a new row and a row before it in the block. */
int join_within(struct join *join, struct simhash_error *error);

/* Report every pair of a new row and one that is new in another block, which comes before. */
int join_before(struct join *join, const struct block *before, struct simhash_error *error);

#endif
