/*
 * Files whose sketches are alike, without comparing all with all: a sketch has 32 keys, each of four
 * registers, and files that share one are looked at. Where no register is empty, two sketches that
 * differ in fewer than 32 registers share a key for certain; that is a resemblance of 0.76.
 *
 *     key_pairs_begin(&pairs, &room, block, 0, SKETCH_KEYS);
 *     while (key_pairs_next(&pairs, &x, &y))
 *             // rows x < y of the block, y a new one, once however many keys they share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SKETCH_KEYS_H
#define SIMHASH_FIND_SKETCH_KEYS_H

#include "find/block.h"

#define SKETCH_KEYS 32

/* The keys of one sketch. */
struct sketch_keys {
	uint32_t key[SKETCH_KEYS];
};

void sketch_keys_make(const struct simhash_resemblance_sketch *sketch, struct sketch_keys *keys);

/* Has it a sketch, and any keys? Files without one shingle have all in common, and no estimate. */
bool sketch_has_shingles(const struct find_file *file);

struct key_entry {
	uint32_t key, row;
};

/* Room for the rows of a block. All zero to begin with. */
struct key_room {
	struct sketch_keys *keys; /* of each row; may be shared by several rooms */
	uint32_t *rows;		  /* those that have keys */
	size_t row_count;
	struct key_entry *entries, *spare; /* rows by one of their keys */
	size_t capacity;
};

/* With the keys of the block's rows. */
int key_room_fill(struct key_room *room, const struct block *block, struct simhash_error *error);
/* For other keys of the same rows, in another thread, while `room` is there. */
int key_room_share(struct key_room *room, const struct key_room *owner,
		   struct simhash_error *error);
void key_room_release(struct key_room *room);	     /* of one that was filled */
void key_room_release_shared(struct key_room *room); /* of one that shares */

struct key_pairs {
	struct key_room *room;
	const struct block *block;
	unsigned key, end_key;
	size_t count;	      /* entries of this key */
	size_t begin;	      /* of those with the value that is looked at */
	size_t first, second; /* entries of the pair */
};

/* The pairs that share one of the keys `key` .. `end_key` - 1, and none before it. */
void key_pairs_begin(struct key_pairs *pairs, struct key_room *room, const struct block *block,
		     unsigned key, unsigned end_key);
bool key_pairs_next(struct key_pairs *pairs, uint32_t *x, uint32_t *y);

/* Do two sketches share a key? */
bool sketches_share_key(const struct simhash_resemblance_sketch *x,
			const struct simhash_resemblance_sketch *y);

#endif
