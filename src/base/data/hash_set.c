/*
 * Sorts hashes in place, byte by byte, and finds a hash by its first bits.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/hash_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/data/array.h"

#define WIDTH_MAX 64
#define FEW 24	    /* at most so many hashes are sorted by insertion */
#define BITS_MAX 24 /* the maximum size of the table index */

int hash_set_add(struct hash_set *set, const uint8_t *hash, struct simhash_error *error)
{
	if (array_reserve(&set->hashes, &set->capacity, set->count + 1, set->width, error) != 0)
		return -1;
	memcpy(set->hashes + set->count * set->width, hash, set->width);
	set->count++;
	return 0;
}

/* ---- Sorting ---- */

static void swap_hashes(uint8_t *x, uint8_t *y, size_t width)
{
	uint8_t kept[WIDTH_MAX];

	memcpy(kept, x, width);
	memcpy(x, y, width);
	memcpy(y, kept, width);
}

static void sort_few(uint8_t *hashes, size_t count, size_t width)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = i;
		     k > 0 && memcmp(hashes + (k - 1) * width, hashes + k * width, width) > 0; k--)
			swap_hashes(hashes + (k - 1) * width, hashes + k * width, width);
}

/* Sort hashes whose first `byte` bytes are equal. At most `width` calls are nested. */
static void sort_from(uint8_t *hashes, size_t count, size_t width, size_t byte)
{
	size_t ends[256], at[256], begin = 0;

	if (count <= FEW || byte == width) {
		if (byte < width)
			sort_few(hashes, count, width);
		return;
	}
	memset(ends, 0, sizeof ends);
	for (size_t i = 0; i < count; i++)
		ends[hashes[i * width + byte]]++;
	for (unsigned b = 0; b < 256; b++) {
		at[b] = begin;
		begin = ends[b] += begin;
	}
	for (unsigned b = 0; b < 256; b++)
		while (at[b] < ends[b]) {
			uint8_t *hash = hashes + at[b] * width;
			unsigned to = hash[byte];
			if (to != b)
				swap_hashes(hash, hashes + at[to] * width, width);
			at[to]++;
		}
	for (unsigned b = 0; b < 256; b++) {
		size_t first = b == 0 ? 0 : ends[b - 1];
		sort_from(hashes + first * width, ends[b] - first, width, byte + 1);
	}
}

static void drop_repeated(struct hash_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		const uint8_t *hash = set->hashes + i * set->width;
		if (kept > 0 &&
		    memcmp(set->hashes + (kept - 1) * set->width, hash, set->width) == 0)
			continue;
		if (kept != i)
			memcpy(set->hashes + kept * set->width, hash, set->width);
		kept++;
	}
	set->count = kept;
}

static size_t first_bits(const struct hash_set *set, const uint8_t *hash)
{
	return (size_t)(read_big_endian(hash, 4) >> (32 - set->bits));
}

int hash_set_sort(struct hash_set *set, struct simhash_error *error)
{
	size_t *begins, next = 0;

	sort_from(set->hashes, set->count, set->width, 0);
	drop_repeated(set);
	for (set->bits = 1; set->bits < BITS_MAX && set->count >> set->bits > 16;)
		set->bits++;
	begins = malloc((((size_t)1 << set->bits) + 1) * sizeof *begins);
	if (begins == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < set->count; i++)
		for (; next <= first_bits(set, set->hashes + i * set->width); next++)
			begins[next] = i;
	for (; next <= (size_t)1 << set->bits; next++)
		begins[next] = set->count;
	free(set->begins);
	set->begins = begins;
	return 0;
}

/* ---- Looking up ---- */

bool hash_set_has(const struct hash_set *set, const uint8_t *hash)
{
	size_t begin, end;

	if (set->count == 0)
		return false;
	begin = set->begins[first_bits(set, hash)];
	end = set->begins[first_bits(set, hash) + 1];
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		int order = memcmp(set->hashes + middle * set->width, hash, set->width);
		if (order == 0)
			return true;
		if (order < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return false;
}

size_t hash_set_bytes(const struct hash_set *set)
{
	size_t table = set->begins == NULL ? 0 : ((size_t)1 << set->bits) + 1;

	return set->count * set->width + table * sizeof *set->begins;
}

void hash_set_release(struct hash_set *set)
{
	free(set->hashes);
	free(set->begins);
	*set = (struct hash_set){.width = set->width};
}
