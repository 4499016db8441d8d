/*
 * The pairs of a block.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_JOIN_H
#define SIMHASH_FIND_JOIN_H

#include "find/block.h"
#include "find/near.h"
#include "find/pair_reporter.h"
#include "find/sketch_keys.h"

/* What a thread keeps from block to block. All zero to begin with. */
struct join_room {
	struct join_entry *entries, *spare;
	int64_t *grid_sum, *order_sum; /* signed sums of each row; see join.c */
	/* Of the rows in the order of cells. */
	uint32_t *number;
	struct near_rows rows;
	int64_t *sorted_order_sum;
	size_t capacity;
	struct cell *cells;
	struct key_room keys;
	size_t cell_slots;
};

void join_room_release(struct join_room *room);

/* Report every pair of a new row and a row before it, and every new copy. */
int join_block(struct join_room *room, const struct block *block, struct pair_reporter *reporter,
	       struct simhash_error *error);

#endif
