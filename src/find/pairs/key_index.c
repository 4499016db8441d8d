/*
 * Puts rows into buckets by each of their keys. It works on one key after another, so that the
 * memory it reads for a key is contiguous.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/key_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"

#define AHEAD 16 /* buckets are far apart in memory: load them this many rows early */
/* The hashes of this many rows are stored together: one cache line for each key. */
#define KEYED_ROWS 16

static void release_rows(struct keyed_rows *rows)
{
	free(rows->rows);
	free(rows->hashes);
	*rows = (struct keyed_rows){.count = 0};
}

void key_index_release(struct key_index *index)
{
	release_rows(&index->own);
	free(index->entries);
	free(index->ends);
	free(index->filters);
	*index = (struct key_index){.first_new = 0};
}

void key_walk_release(struct key_walk *walk)
{
	release_rows(&walk->asking);
	free(walk->passing);
	*walk = (struct key_walk){.index = NULL};
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

/* A permutation, so different keys have different hashes. The seed is the same for all indexes. */
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

/* Store the hashes of these keys, which belong to the rows from `begin` on. */
static void spread_keys(struct keyed_rows *rows, size_t begin, const struct sketch_keys *keys,
			size_t count)
{
	uint32_t seed = (uint32_t)hash_seeded(0, 0);

	for (unsigned key = 0; key < SKETCH_KEYS; key++) {
		uint32_t *hashes = rows->hashes + key * rows->capacity + begin;
		for (size_t i = 0; i < count; i++)
			hashes[i] = hash_key(seed, keys[i].key[key]);
	}
}

/* Do two rows share this key, and no earlier key? */
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

/* About four rows for each bucket. */
static unsigned bucket_bits_for(size_t count)
{
	unsigned bits = bits_for(count);

	return bits > 3 ? bits - 2 : 1;
}

/*
 * Four to eight bits for each row. So at most a fourth of the rows without a common key pass the
 * filter.
 */
static unsigned filter_bits_for(size_t count)
{
	unsigned bits = bits_for(count) + 2;

	return bits < 6 ? 6 : bits < 32 ? bits : 31;
}

/* Allocate the buckets for all rows that fit into `own`. */
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

/* The filter of a key, in words of 64 bits. */
static uint64_t *filter_of(const struct key_index *index, unsigned key)
{
	return index->filters + ((size_t)key << (index->filter_bits - 6));
}

static uint32_t row_mask(const struct key_index *index)
{
	return (UINT32_C(1) << index->row_bits) - 1;
}

void key_index_fill(struct key_index *index, unsigned key)
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

int key_index_begin(struct key_index *index, const struct find_file *const *rows, size_t count,
		    size_t first_new, struct simhash_error *error)
{
	struct keyed_rows *own = &index->own;
	bool had_room = has_room(own, count);

	if (make_room(own, count, error) != 0 || (!had_room && make_buckets(index, error) != 0))
		return -1;
	index->files = rows;
	own->count = index->first_new = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == first_new)
			index->first_new = own->count;
		if (sketch_has_shingles(rows[i]))
			own->rows[own->count++] = (uint32_t)i;
	}
	if (first_new >= count)
		index->first_new = own->count;
	index->row_bits = bits_for(count);
	index->bucket_bits = bucket_bits_for(count);
	index->filter_bits = filter_bits_for(count);
	return 0;
}

void key_index_spread(struct key_index *index, size_t begin, size_t end)
{
	struct sketch_keys keys[KEYED_ROWS];

	while (begin < end) {
		size_t count = end - begin < KEYED_ROWS ? end - begin : KEYED_ROWS;
		for (size_t i = 0; i < count; i++)
			sketch_keys_make(&index->files[index->own.rows[begin + i]]->sketch,
					 &keys[i]);
		spread_keys(&index->own, begin, keys, count);
		begin += count;
	}
}

/* ---- Pairs of own rows ---- */

static void begin_key(struct key_walk *walk, unsigned key)
{
	walk->key = key;
	walk->row = walk->bucket = 0;
	walk->seen = 0;
	walk->at = walk->end = walk->begin = 0;
	walk->noted_at = walk->noted_count = 0;
}

void key_walk_begin(struct key_walk *walk, const struct key_index *index, unsigned key,
		    unsigned end_key)
{
	walk->index = index;
	walk->end_key = end_key;
	begin_key(walk, key);
}

/* The shift that leaves the highest bits of an entry, at most 6, which belong to the hash. */
static unsigned seen_shift(const struct key_index *index)
{
	return index->row_bits > 32 - 6 ? index->row_bits : 32 - 6;
}

/*
 * Find the next entry of a new row that may have the same hash as an earlier entry of its bucket.
 * Most entries are skipped, because no earlier entry has the same highest bits.
 */
static bool next_entry(struct key_walk *walk)
{
	const struct key_index *index = walk->index;
	const uint32_t *entries = entries_of(index, walk->key), *ends = ends_of(index, walk->key);
	unsigned shift = seen_shift(index);
	uint32_t mask = row_mask(index);

	while (walk->row < index->own.count) {
		size_t row = walk->row++;
		uint64_t bit = UINT64_C(1) << (entries[row] >> shift);
		bool is_seen;
		while (row >= ends[walk->bucket]) {
			walk->begin = ends[walk->bucket++];
			walk->seen = 0;
		}
		is_seen = (walk->seen & bit) != 0;
		walk->seen |= bit;
		if (is_seen && (entries[row] & mask) >= index->first_new) {
			walk->at = walk->begin;
			walk->end = (uint32_t)row;
			return true;
		}
	}
	return false;
}

/* Start loading the hashes of a row that share_first() will probably read. */
static void prefetch_hashes(const struct keyed_rows *rows, size_t row, unsigned key)
{
	__builtin_prefetch(&hashes_of(rows, key)[row]);
	__builtin_prefetch(&hashes_of(rows, 0)[row]);
}

/*
 * Note that two rows probably share the current key. Returns false if there is no room for another
 * pair.
 */
static bool note(struct key_walk *walk, const struct keyed_rows *x_rows, uint32_t x, uint32_t y)
{
	prefetch_hashes(x_rows, x, walk->key);
	prefetch_hashes(&walk->index->own, y, walk->key);
	walk->noted[walk->noted_count++] = (struct key_pair){x, y};
	return walk->noted_count < NOTED_PAIRS;
}

/* Return the next noted pair that shares the current key and no earlier key. */
static bool take_noted(struct key_walk *walk, const struct keyed_rows *x_rows,
		       struct key_pair *pair)
{
	const struct keyed_rows *own = &walk->index->own;

	while (walk->noted_at < walk->noted_count) {
		struct key_pair noted = walk->noted[walk->noted_at++];
		if (share_first(x_rows, noted.x, own, noted.y, walk->key)) {
			*pair = (struct key_pair){x_rows->rows[noted.x], own->rows[noted.y]};
			return true;
		}
	}
	walk->noted_at = walk->noted_count = 0;
	return false;
}

/* Note pairs for the current key. Returns false if none are left. */
static bool note_pairs(struct key_walk *walk)
{
	const struct key_index *index = walk->index;
	const uint32_t *entries = entries_of(index, walk->key);
	uint32_t mask = row_mask(index);

	do {
		while (walk->at < walk->end) {
			uint32_t x = entries[walk->at++], y = entries[walk->end];
			if (((x ^ y) & ~mask) == 0 && !note(walk, &index->own, x & mask, y & mask))
				return true;
		}
	} while (next_entry(walk));
	return walk->noted_count > 0;
}

/* The entries of a bucket are sorted by the number of their row. */
bool key_walk_next_pair(struct key_walk *walk, struct key_pair *pair)
{
	for (;;) {
		if (take_noted(walk, &walk->index->own, pair))
			return true;
		if (note_pairs(walk))
			continue;
		if (walk->key + 1 >= walk->end_key)
			return false;
		begin_key(walk, walk->key + 1);
	}
}

/* ---- Pairs with other rows ---- */

static uint32_t begin_of(const uint32_t *ends, size_t bucket)
{
	return bucket == 0 ? 0 : ends[bucket - 1];
}

/*
 * Begin a key, and select the rows that pass its filter, which is small enough to stay in the
 * cache.
 */
static void begin_asking(struct key_walk *walk, unsigned key)
{
	const struct key_index *index = walk->index;
	const uint32_t *hashes = hashes_of(&walk->asking, key);
	const uint64_t *filter = filter_of(index, key);
	size_t count = 0;

	begin_key(walk, key);
	for (size_t i = 0; i < walk->asking.count; i++) {
		uint32_t bit = hashes[i] >> (32 - index->filter_bits);
		walk->passing[count] = (uint32_t)i;
		count += filter[bit / 64] >> bit % 64 & 1;
	}
	walk->passing_count = count;
}

/* Go to the next of the other rows and to its bucket. Returns false if there is none. */
static bool next_row(struct key_walk *walk)
{
	const struct key_index *index = walk->index;
	const uint32_t *ends = ends_of(index, walk->key);
	const uint32_t *entries = entries_of(index, walk->key);
	const uint32_t *hashes = hashes_of(&walk->asking, walk->key);
	const uint32_t *passing = walk->passing;
	unsigned shift = 32 - index->bucket_bits;
	size_t row = walk->row, count = walk->passing_count, bucket;

	if (row + 2 * AHEAD < count)
		__builtin_prefetch(&ends[hashes[passing[row + 2 * AHEAD]] >> shift]);
	if (row + AHEAD < count)
		__builtin_prefetch(&entries[begin_of(ends, hashes[passing[row + AHEAD]] >> shift)]);
	if (row >= count)
		return false;
	bucket = hashes[passing[row]] >> shift;
	walk->at = begin_of(ends, bucket);
	walk->end = ends[bucket];
	walk->row++;
	return true;
}

int key_walk_take(struct key_walk *walk, const struct find_file *rows, size_t count,
		  struct simhash_error *error)
{
	struct keyed_rows *asking = &walk->asking;
	struct sketch_keys keys[KEYED_ROWS];
	size_t waiting = 0;

	if (!has_room(asking, count)) {
		free(walk->passing);
		walk->passing = malloc((count + 1) * sizeof *walk->passing);
		if (walk->passing == NULL)
			return error_set_memory(error);
	}
	if (make_room(asking, count, error) != 0)
		return -1;
	asking->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (sketch_has_shingles(&rows[i])) {
			asking->rows[asking->count + waiting] = (uint32_t)i;
			sketch_keys_make(&rows[i].sketch, &keys[waiting++]);
		}
		if (waiting == KEYED_ROWS || i + 1 == count) {
			spread_keys(asking, asking->count, keys, waiting);
			asking->count += waiting;
			waiting = 0;
		}
	}
	return 0;
}

void key_walk_ask(struct key_walk *walk, const struct key_index *index)
{
	walk->index = index;
	begin_asking(walk, 0);
}

/* Note pairs with other rows for the current key. Returns false if none are left. */
static bool note_answers(struct key_walk *walk)
{
	const struct key_index *index = walk->index;
	const uint32_t *entries = entries_of(index, walk->key);
	const uint32_t *hashes = hashes_of(&walk->asking, walk->key);
	uint32_t mask = row_mask(index);

	do {
		while (walk->at < walk->end) {
			uint32_t asks = walk->passing[walk->row - 1], entry = entries[walk->at++];
			uint32_t row = entry & mask;
			if (((entry ^ hashes[asks] << index->bucket_bits) & ~mask) == 0 &&
			    row >= index->first_new && !note(walk, &walk->asking, asks, row))
				return true;
		}
	} while (next_row(walk));
	return walk->noted_count > 0;
}

bool key_walk_next_answer(struct key_walk *walk, struct key_pair *pair)
{
	for (;;) {
		if (take_noted(walk, &walk->asking, pair))
			return true;
		if (note_answers(walk))
			continue;
		if (walk->key + 1 >= SKETCH_KEYS)
			return false;
		begin_asking(walk, walk->key + 1);
	}
}
