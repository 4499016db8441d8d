/*
 * Buckets of rows by each of their keys. One key after another: what is gone through of it lies
 * together in memory.
 * SPDX-License-Identifier: MIT
 */
#include "find/key_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/seed.h"

#define AHEAD 16      /* buckets are far apart in memory: have them on their way */
#define KEYED_ROWS 16 /* whose hashes are spread over the keys together: a line of the cache each */

static void release_rows(struct keyed_rows *rows)
{
	free(rows->rows);
	free(rows->hashes);
	*rows = (struct keyed_rows){.count = 0};
}

void key_index_release(struct key_index *index)
{
	release_rows(&index->own);
	release_rows(&index->asking);
	free(index->entries);
	free(index->ends);
	free(index->filters);
	free(index->passing);
	*index = (struct key_index){.row = 0};
}

/* ---- Rows with keys ---- */

static bool has_room(const struct keyed_rows *rows, size_t count)
{
	return rows->capacity > 0 && count <= rows->capacity;
}

static int make_room(struct keyed_rows *rows, size_t count, struct simhash_error *error)
{
	size_t capacity = count > 0 ? count : 1;

	if (has_room(rows, count))
		return 0;
	release_rows(rows);
	rows->rows = malloc(capacity * sizeof *rows->rows);
	rows->hashes = malloc(capacity * SKETCH_KEYS * sizeof *rows->hashes);
	if (rows->rows == NULL || rows->hashes == NULL) {
		release_rows(rows);
		return error_set_memory(error);
	}
	rows->capacity = capacity;
	return 0;
}

/* A permutation, so that keys with one hash are one key. */
static uint32_t hash_key(uint32_t seed, uint32_t key)
{
	uint32_t hash = (key ^ seed) * UINT32_C(0x85ebca6b);

	hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
	return hash ^ hash >> 16;
}

static const uint32_t *hashes_of(const struct keyed_rows *rows, unsigned key)
{
	return rows->hashes + key * rows->capacity;
}

/* Append hashes of the rows whose numbers were. */
static void spread_keys(struct keyed_rows *rows, uint32_t seed, const struct sketch_keys *keys,
			size_t count)
{
	for (unsigned key = 0; key < SKETCH_KEYS; key++) {
		uint32_t *hashes = rows->hashes + key * rows->capacity + rows->count;
		for (size_t i = 0; i < count; i++)
			hashes[i] = hash_key(seed, keys[i].key[key]);
	}
	rows->count += count;
}

/* Those of a block from `first` on. */
static int take_rows(struct keyed_rows *rows, const struct block *block, size_t first,
		     uint32_t seed, struct simhash_error *error)
{
	struct sketch_keys keys[KEYED_ROWS];
	size_t count = 0;

	if (make_room(rows, block->count, error) != 0)
		return -1;
	rows->count = 0;
	for (size_t i = first; i < block->count; i++) {
		if (!sketch_has_shingles(&block->rows[i]))
			continue;
		rows->rows[rows->count + count] = (uint32_t)i;
		sketch_keys_make(&block->rows[i].sketch, &keys[count++]);
		if (count == KEYED_ROWS) {
			spread_keys(rows, seed, keys, count);
			count = 0;
		}
	}
	spread_keys(rows, seed, keys, count);
	return 0;
}

/* Do two rows share this key, and none before it? */
static bool share_first(const struct keyed_rows *x_rows, size_t x, const struct keyed_rows *y_rows,
			size_t y, unsigned key)
{
	if (hashes_of(x_rows, key)[x] != hashes_of(y_rows, key)[y])
		return false;
	for (unsigned k = 0; k < key; k++)
		if (hashes_of(x_rows, k)[x] == hashes_of(y_rows, k)[y])
			return false;
	return true;
}

/* ---- Buckets ---- */

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

/* Four to eight bits a row: of the rows that share no key at most one in four passes. */
static unsigned filter_bits_for(size_t count)
{
	unsigned bits = bits_for(count) + 2;

	return bits < 6 ? 6 : bits < 32 ? bits : 31;
}

/* For as many rows as there is room for. */
static int make_buckets(struct key_index *index, struct simhash_error *error)
{
	size_t count = index->own.capacity;

	free(index->entries);
	free(index->ends);
	free(index->filters);
	index->filters = malloc(((size_t)SKETCH_KEYS << filter_bits_for(count)) / 8);
	index->entries = malloc(count * SKETCH_KEYS * sizeof *index->entries);
	index->ends = malloc(((size_t)SKETCH_KEYS << bucket_bits_for(count)) * sizeof *index->ends);
	return index->entries == NULL || index->ends == NULL || index->filters == NULL
		       ? error_set_memory(error)
		       : 0;
}

static uint32_t *entries_of(const struct key_index *index, unsigned key)
{
	return index->entries + key * index->own.count;
}

static uint32_t *ends_of(const struct key_index *index, unsigned key)
{
	return index->ends + ((size_t)key << index->bucket_bits);
}

/* Of 64 bits a word. */
static uint64_t *filter_of(const struct key_index *index, unsigned key)
{
	return index->filters + ((size_t)key << (index->filter_bits - 6));
}

static uint32_t row_mask(const struct key_index *index)
{
	return (UINT32_C(1) << index->row_bits) - 1;
}

static void fill_key(struct key_index *index, unsigned key)
{
	unsigned shift = 32 - index->bucket_bits;
	uint32_t *ends = ends_of(index, key), begin = 0;
	uint32_t *entries = entries_of(index, key), mask = row_mask(index);
	const uint32_t *hashes = hashes_of(&index->own, key);
	uint64_t *filter = filter_of(index, key);

	memset(filter, 0, ((size_t)1 << index->filter_bits) / 8);
	memset(ends, 0, sizeof *ends << index->bucket_bits);
	for (size_t i = 0; i < index->own.count; i++) {
		uint32_t bit = hashes[i] >> (32 - index->filter_bits);
		filter[bit / 64] |= UINT64_C(1) << bit % 64;
		ends[hashes[i] >> shift]++;
	}
	for (size_t b = 0; b < (size_t)1 << index->bucket_bits; b++) {
		uint32_t count = ends[b];
		ends[b] = begin;
		begin += count;
	}
	for (size_t i = 0; i < index->own.count; i++)
		entries[ends[hashes[i] >> shift]++] = (hashes[i] << index->bucket_bits & ~mask) |
						      (uint32_t)i;
}

static void begin_key(struct key_index *index, unsigned key)
{
	index->key = key;
	index->row = index->bucket = 0;
	index->at = index->end = index->begin = 0;
}

int key_index_fill(struct key_index *index, const struct block *block, struct simhash_error *error)
{
	bool had_room = has_room(&index->own, block->count);

	index->seed = (uint32_t)hash_seeded(0, 0);
	if (take_rows(&index->own, block, 0, index->seed, error) != 0 ||
	    (!had_room && make_buckets(index, error) != 0))
		return -1;
	index->row_bits = bits_for(block->count);
	index->bucket_bits = bucket_bits_for(block->count);
	index->filter_bits = filter_bits_for(block->count);
	for (unsigned key = 0; key < SKETCH_KEYS; key++)
		fill_key(index, key);
	for (index->first_new = 0; index->first_new < index->own.count; index->first_new++)
		if (index->own.rows[index->first_new] >= block->first_new)
			break;
	begin_key(index, 0);
	return 0;
}

/* ---- Pairs of the block ---- */

/* Go on to the next entry of a new row with others before it in its bucket. */
static bool next_entry(struct key_index *index)
{
	const uint32_t *entries = entries_of(index, index->key), *ends = ends_of(index, index->key);
	uint32_t mask = row_mask(index);

	while (index->row < index->own.count) {
		size_t row = index->row++;
		while (row >= ends[index->bucket])
			index->begin = ends[index->bucket++];
		if (row > index->begin && (entries[row] & mask) >= index->first_new) {
			index->at = index->begin;
			index->end = (uint32_t)row;
			return true;
		}
	}
	return false;
}

/* Rows are in the order of their numbers within a bucket. */
bool key_index_next_pair(struct key_index *index, struct key_pair *pair)
{
	uint32_t mask = row_mask(index);

	for (;;) {
		const uint32_t *entries = entries_of(index, index->key);
		while (index->at < index->end) {
			uint32_t x = entries[index->at++], y = entries[index->end];
			if (((x ^ y) & ~mask) != 0 ||
			    !share_first(&index->own, x & mask, &index->own, y & mask, index->key))
				continue;
			*pair = (struct key_pair){index->own.rows[x & mask],
						  index->own.rows[y & mask]};
			return true;
		}
		if (next_entry(index))
			continue;
		if (index->key + 1 >= SKETCH_KEYS)
			return false;
		begin_key(index, index->key + 1);
	}
}

/* ---- Pairs with rows before the block ---- */

static uint32_t begin_of(const uint32_t *ends, size_t bucket)
{
	return bucket == 0 ? 0 : ends[bucket - 1];
}

/* Begin a key with the rows that pass its filter, which is small enough to stay in the cache. */
static void begin_asking(struct key_index *index, unsigned key)
{
	const uint32_t *hashes = hashes_of(&index->asking, key);
	const uint64_t *filter = filter_of(index, key);
	size_t count = 0;

	begin_key(index, key);
	for (size_t i = 0; i < index->asking.count; i++) {
		uint32_t bit = hashes[i] >> (32 - index->filter_bits);
		index->passing[count] = (uint32_t)i;
		count += filter[bit / 64] >> bit % 64 & 1;
	}
	index->passing_count = count;
}

/* Begin with the bucket of the next row that asks; false when there is none. */
static bool next_row(struct key_index *index)
{
	const uint32_t *ends = ends_of(index, index->key);
	const uint32_t *entries = entries_of(index, index->key);
	const uint32_t *hashes = hashes_of(&index->asking, index->key);
	const uint32_t *passing = index->passing;
	unsigned shift = 32 - index->bucket_bits;
	size_t row = index->row, count = index->passing_count, bucket;

	if (row + 2 * AHEAD < count)
		__builtin_prefetch(&ends[hashes[passing[row + 2 * AHEAD]] >> shift]);
	if (row + AHEAD < count)
		__builtin_prefetch(&entries[begin_of(ends, hashes[passing[row + AHEAD]] >> shift)]);
	if (row >= count)
		return false;
	bucket = hashes[passing[row]] >> shift;
	index->at = begin_of(ends, bucket);
	index->end = ends[bucket];
	index->row++;
	return true;
}

int key_index_ask(struct key_index *index, const struct block *before, struct simhash_error *error)
{
	bool had_room = has_room(&index->asking, before->count);

	if (take_rows(&index->asking, before, before->first_new, index->seed, error) != 0)
		return -1;
	if (!had_room) {
		free(index->passing);
		index->passing = malloc(index->asking.capacity * sizeof *index->passing);
		if (index->passing == NULL)
			return error_set_memory(error);
	}
	begin_asking(index, 0);
	return 0;
}

bool key_index_next_answer(struct key_index *index, struct key_pair *pair)
{
	uint32_t mask = row_mask(index);

	for (;;) {
		const uint32_t *entries = entries_of(index, index->key);
		const uint32_t *hashes = hashes_of(&index->asking, index->key);
		while (index->at < index->end) {
			uint32_t asks = index->passing[index->row - 1],
				 entry = entries[index->at++];
			uint32_t row = entry & mask;
			if (((entry ^ hashes[asks] << index->bucket_bits) & ~mask) != 0 ||
			    row < index->first_new ||
			    !share_first(&index->asking, asks, &index->own, row, index->key))
				continue;
			*pair = (struct key_pair){index->asking.rows[asks], index->own.rows[row]};
			return true;
		}
		if (next_row(index))
			continue;
		if (index->key + 1 >= SKETCH_KEYS)
			return false;
		begin_asking(index, index->key + 1);
	}
}
