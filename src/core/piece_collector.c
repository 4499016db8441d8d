/*
 * Collects pieces. Most contents have few, so values are only appended; when memory is full,
 * repeated values are removed, and the bound becomes lower as far as the definition allows.
 * SPDX-License-Identifier: MIT
 */
#include "core/piece_collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort/sort.h"

/* The number of moves of each value, on average, after which another way of sorting is faster. */
#define MOVES_MAX 32

#define LIMIT_MIN 4096

static void set_level(struct piece_collector *collector, unsigned level)
{
	collector->level = level;
	collector->last = UINT64_MAX >> level;
}

void piece_collector_begin(struct piece_collector *collector, unsigned wanted_level)
{
	set_level(collector, 0);
	collector->wanted = wanted_level;
	collector->sampled = 0;
	collector->takes_small = false;
	collector->has_failed = false;
	collector->count = 0;
}

void piece_collector_release(struct piece_collector *collector)
{
	free(collector->values);
	*collector = (struct piece_collector){.limit = 0};
}

/* The second and the third array. */
static uint64_t *chosen(const struct piece_collector *collector)
{
	return collector->values + collector->limit + 1;
}

static uint64_t *scratch(const struct piece_collector *collector)
{
	return chosen(collector) + collector->limit + 1;
}

/* Sort values one by one. False if this takes too long; then they are in any order. */
static bool insert_all(uint64_t *values, size_t count)
{
	size_t moves = 0;

	for (size_t i = 1; i < count && moves <= MOVES_MAX * count; i++) {
		uint64_t value = values[i];
		size_t k = i;
		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
		moves += i - k;
	}
	return moves <= MOVES_MAX * count;
}

#define BUCKET_BITS_MAX 12

/*
 * Sort values below 2^bits. Their upper bits are evenly distributed, so they are first put into as
 * many buckets as there are values, and few must be moved then. Values of a content that was made
 * to prevent this are sorted by all bits.
 */
static void sort_values(uint64_t *values, uint64_t *scratch, size_t count, unsigned bits)
{
	uint32_t starts[1 << BUCKET_BITS_MAX];
	unsigned digits = 64 - (unsigned)__builtin_clzll(count | 1);
	unsigned bucket_bits = digits < BUCKET_BITS_MAX ? digits : BUCKET_BITS_MAX;
	unsigned shift = bits > bucket_bits ? bits - bucket_bits : 0;
	size_t buckets = (size_t)1 << bucket_bits;
	uint32_t sum = 0;

	memset(starts, 0, buckets * sizeof *starts);
	for (size_t i = 0; i < count; i++)
		starts[values[i] >> shift]++;
	for (size_t i = 0; i < buckets; i++) {
		uint32_t here = starts[i];
		starts[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		scratch[starts[values[i] >> shift]++] = values[i];
	memcpy(values, scratch, count * sizeof *values);
	if (!insert_all(values, count))
		sort_numbers(values, scratch, count);
}

/*
 * Sort values below 2^bits, and remove repeated ones. Returns the number of different values.
 */
static size_t sort_different(uint64_t *values, uint64_t *scratch, size_t count, unsigned bits)
{
	size_t different = 0;

	sort_values(values, scratch, count, bits);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || values[i] != values[i - 1])
			values[different++] = values[i];
	return different;
}

/* Copy the values below the bound of a level. Returns their number. `to` may be `from`. */
static size_t take_below(uint64_t *to, const uint64_t *from, size_t count, unsigned level)
{
	uint64_t bound = piece_bound(level);
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t value = from[i];
		to[taken] = value;
		taken += value < bound;
	}
	return taken;
}

/* Choose the different values below the bound of a level. Returns their number. */
static size_t choose(const struct piece_collector *collector, unsigned level)
{
	size_t count = take_below(chosen(collector), collector->values, collector->count, level);

	return sort_different(chosen(collector), scratch(collector), count, PIECE_BITS - level);
}

/* ---- Making room ---- */

static void lower_to(struct piece_collector *collector, unsigned level)
{
	set_level(collector, level);
	collector->count =
		take_below(collector->values, collector->values, collector->count, level);
}

/* Are there certainly enough values below the wanted bound? A few of them decide. */
static bool has_enough(const struct piece_collector *collector)
{
	uint64_t bound = piece_bound(collector->wanted), *few = chosen(collector);
	size_t count = 0;

	for (size_t i = 0; i < collector->count && count < 4 * PIECES_MIN; i++)
		if (collector->values[i] < bound)
			few[count++] = collector->values[i];
	return sort_different(few, scratch(collector), count, PIECE_BITS - collector->wanted) >=
	       PIECES_MIN;
}

/* Remove all values that certainly are no pieces. */
static void thin_out(struct piece_collector *collector)
{
	if (collector->level < collector->wanted && has_enough(collector))
		lower_to(collector, collector->wanted);
	if (collector->count <= collector->limit / 2)
		return;
	collector->count = sort_different(collector->values, scratch(collector), collector->count,
					  PIECE_BITS - collector->level);
	while (collector->count > PIECES_MAX)
		lower_to(collector, collector->level + 1);
}

static bool resize(struct piece_collector *collector, size_t limit)
{
	uint64_t *values = malloc(3 * (limit + 1) * sizeof *values);

	if (values == NULL) {
		collector->has_failed = true;
		return false;
	}
	if (collector->count > 0)
		memcpy(values, collector->values, collector->count * sizeof *values);
	free(collector->values);
	collector->values = values;
	collector->limit = limit;
	return true;
}

bool piece_collector_grow(struct piece_collector *collector, size_t more)
{
	if (collector->has_failed)
		return false;
	if (collector->count > 0)
		thin_out(collector);
	return collector->count + more <= collector->limit / 2 ||
	       resize(collector, 2 * (collector->count + more) + LIMIT_MIN);
}

void piece_collector_merge(struct piece_collector *collector, const struct piece_collector *other)
{
	if (other->has_failed)
		collector->has_failed = true;
	if (other->count == 0 || !piece_collector_room(collector, other->count))
		return;
	memcpy(collector->values + collector->count, other->values,
	       other->count * sizeof *other->values);
	collector->count += other->count;
	collector->sampled = other->sampled;
	lower_to(collector, collector->level > other->level ? collector->level : other->level);
}

/* ---- The result ---- */

static size_t count_below(const uint64_t *values, size_t count, unsigned level)
{
	uint64_t bound = piece_bound(level);

	while (count > 0 && values[count - 1] >= bound)
		count--;
	return count;
}

/* Return a level from `least` to `most` with more pieces than needed, if they are different. */
static unsigned guess(const struct piece_collector *collector, unsigned least, unsigned most)
{
	unsigned level = least;

	while (level < most && collector->count >> (level - least) >= 3 * PIECES_MIN)
		level++;
	return level;
}

bool piece_collector_finish(struct piece_collector *collector, struct content_pieces *pieces)
{
	unsigned least = collector->level > collector->sampled ? collector->level
							       : collector->sampled;
	unsigned most = collector->wanted > least ? collector->wanted : least;
	unsigned tried = guess(collector, least, most);
	size_t count;

	*pieces = (struct content_pieces){.level = most};
	if (collector->has_failed)
		return false;
	if (collector->count == 0 ||
	    (collector->sampled < PIECE_LEVEL_MIN && !collector->takes_small))
		return true;
	while ((count = choose(collector, tried)) < PIECES_MIN && tried > least)
		tried--;
	while ((count > PIECES_MAX && tried < PIECE_LEVEL_MAX) ||
	       (tried < most && count_below(chosen(collector), count, tried + 1) >= PIECES_MIN))
		count = count_below(chosen(collector), count, ++tried);
	*pieces = (struct content_pieces){tried, count, chosen(collector)};
	return true;
}
