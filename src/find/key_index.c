/*
 * Buckets of rows by each of their keys.
 * SPDX-License-Identifier: MIT
 */
#include "find/key_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/seed.h"

#define AHEAD 16 /* buckets are far apart in memory: have them on their way */

void key_index_release(struct key_index *index)
{
	free(index->keys);
	free(index->entries);
	free(index->ends);
	free(index->asking_keys);
	free(index->asking_rows);
	*index = (struct key_index){.block = NULL};
}

/* ---- Filling ---- */

static unsigned bits_for(size_t count)
{
	unsigned bits = 1;

	while (bits < 31 && count > (size_t)1 << bits)
		bits++;
	return bits;
}

/* Some four rows a bucket. */
static unsigned bucket_bits_for(size_t count)
{
	unsigned bits = bits_for(count);

	return bits > 3 ? bits - 2 : 1;
}

static int take_room(struct key_index *index, size_t count, struct simhash_error *error)
{
	size_t buckets = (size_t)SKETCH_KEYS << bucket_bits_for(count);

	key_index_release(index);
	index->keys = malloc(count * sizeof *index->keys);
	index->entries = malloc(count * SKETCH_KEYS * sizeof *index->entries);
	index->ends = malloc(buckets * sizeof *index->ends);
	index->capacity = count;
	if (index->keys != NULL && index->entries != NULL && index->ends != NULL)
		return 0;
	key_index_release(index);
	return error_set_memory(error);
}

/* A permutation, so that keys with one hash are one key. */
static uint32_t hash_key(const struct key_index *index, uint32_t key)
{
	uint32_t hash = (key ^ index->seed) * UINT32_C(0x85ebca6b);

	hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
	return hash ^ hash >> 16;
}

static uint32_t *ends_of(const struct key_index *index, unsigned key)
{
	return index->ends + ((size_t)key << index->bucket_bits);
}

static void fill_key(struct key_index *index, unsigned key)
{
	unsigned shift = 32 - index->bucket_bits;
	uint32_t *ends = ends_of(index, key), begin = 0;
	uint32_t *entries = index->entries + (size_t)key * index->row_count;
	uint32_t row_mask = (UINT32_C(1) << index->row_bits) - 1;

	memset(ends, 0, sizeof *ends << index->bucket_bits);
	for (size_t i = 0; i < index->asking_count; i++)
		ends[hash_key(index, index->keys[index->asking_rows[i]].key[key]) >> shift]++;
	for (size_t b = 0; b < (size_t)1 << index->bucket_bits; b++) {
		uint32_t count = ends[b];
		ends[b] = begin;
		begin += count;
	}
	for (size_t i = 0; i < index->asking_count; i++) {
		uint32_t row = index->asking_rows[i];
		uint32_t hash = hash_key(index, index->keys[row].key[key]);
		entries[ends[hash >> shift]++] = (hash << index->bucket_bits & ~row_mask) | row;
	}
}

/* The rows of a block from `first` on that have keys, and these. */
static void take_rows(struct key_index *index, const struct block *block, size_t first,
		      struct sketch_keys *keys)
{
	index->asking_count = 0;
	for (size_t i = first; i < block->count; i++)
		if (sketch_has_shingles(&block->rows[i])) {
			sketch_keys_make(&block->rows[i].sketch, &keys[i]);
			index->asking_rows[index->asking_count++] = (uint32_t)i;
		}
}

static int make_room_to_ask(struct key_index *index, size_t count, bool with_keys,
			    struct simhash_error *error)
{
	if (count <= index->asking_capacity && (index->asking_keys != NULL || !with_keys))
		return 0;
	free(index->asking_keys);
	free(index->asking_rows);
	index->asking_capacity = 0;
	index->asking_keys = with_keys ? malloc(count * sizeof *index->asking_keys) : NULL;
	index->asking_rows = malloc(count * sizeof *index->asking_rows);
	if (index->asking_rows == NULL || (with_keys && index->asking_keys == NULL))
		return error_set_memory(error);
	index->asking_capacity = count;
	return 0;
}

static void begin_key(struct key_index *index, unsigned key)
{
	index->key = key;
	index->row = 0;
	index->at = index->end = 0;
}

int key_index_fill(struct key_index *index, const struct block *block, struct simhash_error *error)
{
	if ((block->count > index->capacity && take_room(index, block->count, error) != 0) ||
	    make_room_to_ask(index, block->count, false, error) != 0)
		return -1;
	index->block = block;
	index->row_bits = bits_for(block->count);
	index->bucket_bits = bucket_bits_for(block->count);
	index->seed = (uint32_t)hash_seeded(0, 0);
	take_rows(index, block, 0, index->keys);
	index->row_count = index->asking_count;
	for (unsigned key = 0; key < SKETCH_KEYS; key++)
		fill_key(index, key);
	begin_key(index, 0);
	return 0;
}

/* ---- Answers ---- */

/* Do they share a key before this one? */
static bool share_before(const struct sketch_keys *x, const struct sketch_keys *y, unsigned end)
{
	for (unsigned k = 0; k < end; k++)
		if (x->key[k] == y->key[k])
			return true;
	return false;
}

static uint32_t begin_of(const uint32_t *ends, size_t bucket)
{
	return bucket == 0 ? 0 : ends[bucket - 1];
}

/* Begin with the bucket of the next row that asks; false when there is none. */
static bool next_row(struct key_index *index, const struct sketch_keys *keys)
{
	const uint32_t *ends = ends_of(index, index->key);
	const uint32_t *entries = index->entries + (size_t)index->key * index->row_count;
	unsigned shift = 32 - index->bucket_bits;
	size_t bucket;

	if (index->row + 2 * AHEAD < index->asking_count) {
		uint32_t far = index->asking_rows[index->row + 2 * AHEAD];
		__builtin_prefetch(&ends[hash_key(index, keys[far].key[index->key]) >> shift]);
	}
	if (index->row + AHEAD < index->asking_count) {
		uint32_t near = index->asking_rows[index->row + AHEAD];
		bucket = hash_key(index, keys[near].key[index->key]) >> shift;
		__builtin_prefetch(&entries[begin_of(ends, bucket)]);
	}
	if (index->row >= index->asking_count)
		return false;
	bucket = hash_key(index, keys[index->asking_rows[index->row++]].key[index->key]) >> shift;
	index->at = begin_of(ends, bucket);
	index->end = ends[bucket];
	return true;
}

/* The next row of the block that shares the present key, and none before it, with one that asks. */
static bool next_answer(struct key_index *index, const struct sketch_keys *keys,
			struct key_pair *pair)
{
	for (;;) {
		const uint32_t *entries = index->entries + (size_t)index->key * index->row_count;
		uint32_t row_mask = (UINT32_C(1) << index->row_bits) - 1;
		while (index->at < index->end) {
			uint32_t asks = index->asking_rows[index->row - 1];
			uint32_t key = keys[asks].key[index->key];
			uint32_t entry = entries[index->at++];
			uint32_t row = entry & row_mask;
			if (((entry ^ hash_key(index, key) << index->bucket_bits) & ~row_mask) !=
				    0 ||
			    index->keys[row].key[index->key] != key ||
			    share_before(&keys[asks], &index->keys[row], index->key))
				continue;
			*pair = (struct key_pair){asks, row};
			return true;
		}
		if (next_row(index, keys))
			continue;
		if (index->key + 1 >= SKETCH_KEYS)
			return false;
		begin_key(index, index->key + 1);
	}
}

bool key_index_next_pair(struct key_index *index, struct key_pair *pair)
{
	while (next_answer(index, index->keys, pair)) {
		if (pair->y < pair->x) {
			*pair = (struct key_pair){pair->y, pair->x};
			if (pair->y >= index->block->first_new)
				return true;
		} else {
			index->at = index->end; /* entries are in the order of rows */
		}
	}
	return false;
}

int key_index_ask(struct key_index *index, const struct block *before, struct simhash_error *error)
{
	if (make_room_to_ask(index, before->count, true, error) != 0)
		return -1;
	take_rows(index, before, before->first_new, index->asking_keys);
	begin_key(index, 0);
	return 0;
}

bool key_index_next_answer(struct key_index *index, struct key_pair *pair)
{
	while (next_answer(index, index->asking_keys, pair))
		if (pair->y >= index->block->first_new)
			return true;
	return false;
}
