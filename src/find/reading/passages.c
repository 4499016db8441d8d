/*
 * Indexes the shingles of passages, and slides a window for each passage over the places of its
 * shingles in a stream.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/passages.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

#define WORD ((size_t)8)
#define ROOM ((size_t)256 << 10)
#define SLACK 64	       /* after the room, for the kernels that write a normal form */
#define SHINGLES_SAMPLED 65536 /* all shingles of a short FILE */
#define ENDS_SHARE 16	       /* the part of them that is also searched at each end */
#define FILTER_BITS_MIN 14
#define FILTER_BITS_FAST 18 /* it fits into the first cache */
#define FILTER_BITS_MAX 27

/* A use of a shingle by a passage. */
struct shingle {
	const uint8_t *bytes;
	uint32_t passage, number; /* its number in the passage */
	uint32_t next;		  /* another passage with this shingle, from 1; 0: none */
};

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

static uint64_t hash_shingle(const struct passages *passages, const uint8_t *bytes)
{
	uint64_t hash = (load(bytes) * passages->factor) ^ load(bytes + WORD);

	hash = (hash ^ hash >> 32) * passages->factor;
	return hash ^ hash >> 32;
}

/* ---- The passages ---- */

struct shingle_key {
	const struct passages *passages;
	const uint8_t *bytes;
};

static bool is_shingle(const void *key, uint32_t number)
{
	const struct shingle_key *wanted = key;

	return memcmp(wanted->passages->shingles[number - 1].bytes, wanted->bytes,
		      PASSAGE_SHINGLE) == 0;
}

/* Add a shingle of the last passage, unless the passage has it already. */
static int add_shingle(struct passages *passages, const uint8_t *bytes, struct simhash_error *error)
{
	uint32_t number = (uint32_t)passages->count - 1;
	struct passage *passage = &passages->items[number];
	uint64_t hash = hash_shingle(passages, bytes);
	struct slot *slot;

	if (slots_reserve(&passages->slots, error) != 0 ||
	    array_reserve(&passages->shingles, &passages->shingle_capacity,
			  passages->shingle_count + 1, sizeof *passages->shingles, error) != 0)
		return -1;
	slot = slots_find(&passages->slots, hash, is_shingle,
			  &(struct shingle_key){passages, bytes});
	if (slot->number != NO_ITEM && passages->shingles[slot->number - 1].passage == number)
		return 0;
	passages->shingles[passages->shingle_count++] =
		(struct shingle){bytes, number, passage->shingles++, slot->number};
	if (slot->number == NO_ITEM)
		slots_add(&passages->slots, slot, hash, (uint32_t)passages->shingle_count);
	else
		slot->number = (uint32_t)passages->shingle_count;
	return 0;
}

/* One of 2^level shingles. The result must not depend on the seed of the process. */
static bool is_sampled(const uint8_t *bytes, unsigned level)
{
	uint64_t mixed = (load(bytes) ^ load(bytes + WORD) * UINT64_C(0xd6e8feb86659fd93)) *
			 UINT64_C(0x9e3779b97f4a7c15);

	return level == 0 || mixed >> (64 - level) == 0;
}

int passages_add(struct passages *passages, const uint8_t *bytes, size_t size,
		 struct simhash_error *error)
{
	size_t positions = size < PASSAGE_SHINGLE ? 0 : size - PASSAGE_SHINGLE + 1;
	size_t sampled = passages->sampled == 0 ? SHINGLES_SAMPLED : passages->sampled;
	size_t ends = sampled / ENDS_SHARE;
	unsigned level = 0;

	if (array_reserve(&passages->items, &passages->capacity, passages->count + 1,
			  sizeof *passages->items, error) != 0)
		return -1;
	if (passages->factor == 0)
		passages->factor = hash_seeded(0, 3) | 1;
	passages->items[passages->count++] = (struct passage){.bytes = bytes, .size = size};
	while (positions >> level > sampled)
		level++;
	for (size_t i = 0; i < positions; i++) {
		bool is_wanted = i < ends || positions - i <= ends || is_sampled(bytes + i, level);
		if (is_wanted && add_shingle(passages, bytes + i, error) != 0)
			return -1;
	}
	return 0;
}

static size_t filter_bit(const struct passages *passages, uint64_t word)
{
	return (size_t)(word * passages->factor >> (64 - passages->filter_bits));
}

int passages_end(struct passages *passages, struct simhash_error *error)
{
	size_t words = passages->shingle_count;
	unsigned bits = FILTER_BITS_MIN;

	if (words == 0)
		return 0;
	while (bits < FILTER_BITS_MAX &&
	       words << (bits < FILTER_BITS_FAST ? 8 : 5) > (size_t)1 << bits)
		bits++;
	passages->filter_bits = bits;
	passages->filter = calloc(((size_t)1 << bits) / 64, sizeof *passages->filter);
	if (passages->filter == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < words; i++)
		for (size_t at = 0; at < WORD; at++) {
			size_t bit = filter_bit(passages, load(passages->shingles[i].bytes + at));
			passages->filter[bit / 64] |= UINT64_C(1) << bit % 64;
		}
	return 0;
}

void passages_release(struct passages *passages)
{
	slots_release(&passages->slots);
	free(passages->shingles);
	free(passages->filter);
	free(passages->items);
	*passages = (struct passages){.count = 0};
}

/* ---- The window of a passage ---- */

/* The stream has the shingle. */
#define SEEN (UINT32_C(1) << 31)

struct place {
	uint64_t at;
	uint32_t shingle;
};

/* The places of shingles within twice the size of the passage; the first one occurs only once. */
struct passage_window {
	struct place *places; /* a ring */
	size_t first, count, capacity;
	uint32_t *counts; /* how often the window has each shingle, and SEEN */
	uint32_t different;
	bool is_touched;
};

static int grow(struct passage_window *window, struct simhash_error *error)
{
	size_t capacity = window->capacity == 0 ? 64 : 2 * window->capacity;
	struct place *places = malloc(capacity * sizeof *places);

	if (places == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < window->count; i++)
		places[i] = window->places[(window->first + i) & (window->capacity - 1)];
	free(window->places);
	window->places = places;
	window->capacity = capacity;
	window->first = 0;
	return 0;
}

static int touch(struct passage_scan *scan, uint32_t number, struct simhash_error *error)
{
	struct passage_window *window = &scan->windows[number];

	if (window->counts == NULL)
		window->counts =
			calloc(scan->passages->items[number].shingles, sizeof *window->counts);
	if (window->counts == NULL)
		return error_set_memory(error);
	window->is_touched = true;
	scan->regions[number] = (struct passage_region){.shared = 0};
	scan->touched[scan->touched_count++] = number;
	return 0;
}

static void forget_first(struct passage_window *window)
{
	uint32_t shingle = window->places[window->first].shingle;

	window->different -= --window->counts[shingle] == SEEN;
	window->first = (window->first + 1) & (window->capacity - 1);
	window->count--;
}

/* A shingle of a passage begins at this place. */
static int take_place(struct passage_scan *scan, const struct shingle *shingle, uint64_t at,
		      struct simhash_error *error)
{
	struct passage_window *window = &scan->windows[shingle->passage];
	struct passage_region *region = &scan->regions[shingle->passage];
	uint64_t most = 2 * (uint64_t)scan->passages->items[shingle->passage].size, begin;
	uint64_t end = at + PASSAGE_SHINGLE;

	if (!window->is_touched && touch(scan, shingle->passage, error) != 0)
		return -1;
	if (window->count == window->capacity && grow(window, error) != 0)
		return -1;
	window->places[(window->first + window->count++) & (window->capacity - 1)] =
		(struct place){at, shingle->number};
	region->seen += window->counts[shingle->number] == 0;
	window->counts[shingle->number] |= SEEN;
	window->different += window->counts[shingle->number]++ == SEEN;
	while (end - window->places[window->first].at > most ||
	       window->counts[window->places[window->first].shingle] > SEEN + 1)
		forget_first(window);
	begin = window->places[window->first].at;
	if (window->different > region->shared ||
	    (window->different == region->shared && end - begin < region->end - region->begin))
		*region = (struct passage_region){begin, end, window->different, region->seen};
	return 0;
}

/* ---- The stream ---- */

int passage_scan_init(struct passage_scan *scan, const struct passages *passages,
		      struct simhash_error *error)
{
	size_t count = passages->count + 1;

	*scan = (struct passage_scan){.passages = passages};
	scan->windows = calloc(count, sizeof *scan->windows);
	scan->regions = calloc(count, sizeof *scan->regions);
	scan->touched = calloc(count, sizeof *scan->touched);
	scan->buffer = malloc(2 * PASSAGE_SHINGLE + ROOM + SLACK);
	return scan->windows == NULL || scan->regions == NULL || scan->touched == NULL ||
			       scan->buffer == NULL
		       ? error_set_memory(error)
		       : 0;
}

void passage_scan_release(struct passage_scan *scan)
{
	for (size_t i = 0; scan->windows != NULL && i < scan->passages->count; i++) {
		free(scan->windows[i].places);
		free(scan->windows[i].counts);
	}
	free(scan->windows);
	free(scan->regions);
	free(scan->touched);
	free(scan->buffer);
	*scan = (struct passage_scan){.passages = NULL};
}

void passage_scan_begin(struct passage_scan *scan)
{
	for (size_t i = 0; i < scan->touched_count; i++) {
		struct passage_window *window = &scan->windows[scan->touched[i]];
		memset(window->counts, 0,
		       scan->passages->items[scan->touched[i]].shingles * sizeof *window->counts);
		window->count = window->first = 0;
		window->different = 0;
		window->is_touched = false;
	}
	scan->touched_count = 0;
	scan->at = 0;
	scan->have = scan->next = 0;
}

uint8_t *passage_scan_room(struct passage_scan *scan, size_t *room)
{
	*room = 2 * PASSAGE_SHINGLE + ROOM - scan->have;
	return scan->buffer + scan->have;
}

/* Look up the shingles whose first whole word is at `i`: they begin up to seven bytes before it. */
static int look_up(struct passage_scan *scan, size_t i, struct simhash_error *error)
{
	const struct passages *passages = scan->passages;
	size_t from = i < WORD ? 0 : i - (WORD - 1);
	uint64_t word = load(scan->buffer + i);

	/* In a run of one byte, all these shingles are equal, and the last of them is enough. */
	if (i >= WORD && i + 2 * WORD <= scan->have && word == (word << 8 | word >> 56) &&
	    word == load(scan->buffer + i - WORD) && word == load(scan->buffer + i + WORD))
		from = i;
	for (size_t at = from; at <= i && at + PASSAGE_SHINGLE <= scan->have; at++) {
		const uint8_t *bytes = scan->buffer + at;
		uint32_t number = slots_number(&passages->slots, hash_shingle(passages, bytes),
					       is_shingle, &(struct shingle_key){passages, bytes});
		for (; number != NO_ITEM; number = passages->shingles[number - 1].next)
			if (take_place(scan, &passages->shingles[number - 1], scan->at + at,
				       error) != 0)
				return -1;
	}
	return 0;
}

/* Examine the words that begin before `end`. */
static int examine(struct passage_scan *scan, size_t end, struct simhash_error *error)
{
	const struct passages *passages = scan->passages;
	const uint64_t *filter = passages->filter, factor = passages->factor;
	const unsigned shift = 64 - passages->filter_bits;
	const uint8_t *buffer = scan->buffer;
	size_t i = scan->next;

	for (; i < end; i += WORD) {
		uint64_t bit = load(buffer + i) * factor >> shift;
		if ((filter[bit / 64] >> bit % 64 & 1) != 0 && look_up(scan, i, error) != 0)
			return -1;
	}
	scan->next = i;
	return 0;
}

int passage_scan_add(struct passage_scan *scan, size_t size, struct simhash_error *error)
{
	size_t kept;

	scan->have += size;
	if (scan->passages->shingle_count == 0) {
		scan->have = 0;
		return 0;
	}
	if (scan->have < 2 * WORD)
		return 0;
	if (examine(scan, scan->have - 2 * WORD + 1, error) != 0)
		return -1;
	/* Keep the word before the next one. */
	kept = scan->next < WORD ? 0 : scan->next - WORD;
	memmove(scan->buffer, scan->buffer + kept, scan->have - kept);
	scan->at += kept;
	scan->have -= kept;
	scan->next -= kept;
	return 0;
}

int passage_scan_end(struct passage_scan *scan, struct simhash_error *error)
{
	if (scan->passages->shingle_count == 0 || scan->have < WORD)
		return 0;
	return examine(scan, scan->have - WORD + 1, error);
}

const struct passage_region *passage_scan_region(const struct passage_scan *scan, size_t number)
{
	return scan->windows[number].is_touched ? &scan->regions[number] : NULL;
}
