/*
 * The keys of sketches, and rows in their order.
 * SPDX-License-Identifier: MIT
 */
#include "find/sketch_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

_Static_assert(sizeof(struct sketch_keys) == REGISTERS, "four registers a key");

/*
 * Empty registers get the value of the next one that is not, changed by how far that is: else files
 * with few shingles would share no key.
 */
void sketch_keys_make(const struct simhash_resemblance_sketch *sketch, struct sketch_keys *keys)
{
	uint8_t filled[REGISTERS], value = 0;
	unsigned distance = 0;

	if (memchr(sketch->registers, 0, REGISTERS) == NULL) {
		memcpy(keys->key, sketch->registers, REGISTERS);
		return;
	}
	for (unsigned i = 2 * REGISTERS; i-- > 0;) {
		uint8_t own = sketch->registers[i % REGISTERS];
		distance = own != 0 ? 0 : distance + 1;
		value = own != 0 ? own : value;
		filled[i % REGISTERS] = (uint8_t)(value + distance * 37);
	}
	memcpy(keys->key, filled, sizeof filled);
}

/* Do they share a key before this one? */
static bool share_before(const struct sketch_keys *x, const struct sketch_keys *y, unsigned end)
{
	for (unsigned k = 0; k < end; k++)
		if (x->key[k] == y->key[k])
			return true;
	return false;
}

bool sketches_share_key(const struct simhash_resemblance_sketch *x,
			const struct simhash_resemblance_sketch *y)
{
	struct sketch_keys keys_x, keys_y;

	sketch_keys_make(x, &keys_x);
	sketch_keys_make(y, &keys_y);
	return share_before(&keys_x, &keys_y, SKETCH_KEYS);
}

/* ---- Room ---- */

static int make_entries(struct key_room *room, size_t capacity, struct simhash_error *error)
{
	room->entries = malloc(capacity * sizeof *room->entries);
	room->spare = malloc(capacity * sizeof *room->spare);
	room->rows = malloc(capacity * sizeof *room->rows);
	room->capacity = capacity;
	return room->rows == NULL || room->entries == NULL || room->spare == NULL
		       ? error_set_memory(error)
		       : 0;
}

int key_room_fill(struct key_room *room, const struct block *block, struct simhash_error *error)
{
	if (block->count > room->capacity) {
		size_t capacity = block->count + block->count / 2;
		key_room_release(room);
		room->keys = malloc(capacity * sizeof *room->keys);
		if (room->keys == NULL)
			return error_set_memory(error);
		if (make_entries(room, capacity, error) != 0)
			return -1;
	}
	room->row_count = 0;
	for (size_t i = 0; i < block->count; i++)
		if (sketch_has_shingles(&block->rows[i])) {
			sketch_keys_make(&block->rows[i].sketch, &room->keys[i]);
			room->rows[room->row_count++] = (uint32_t)i;
		}
	return 0;
}

int key_room_share(struct key_room *room, const struct key_room *owner, struct simhash_error *error)
{
	*room = (struct key_room){.keys = owner->keys, .row_count = owner->row_count};
	if (make_entries(room, owner->capacity, error) != 0)
		return -1;
	if (owner->row_count > 0) /* else there may be no rows to copy from */
		memcpy(room->rows, owner->rows, owner->row_count * sizeof *room->rows);
	return 0;
}

void key_room_release_shared(struct key_room *room)
{
	free(room->rows);
	free(room->entries);
	free(room->spare);
	*room = (struct key_room){.capacity = 0};
}

void key_room_release(struct key_room *room)
{
	free(room->keys);
	key_room_release_shared(room);
}

/* ---- Pairs ---- */

/* In the order of the keys, those of one key in the order of the rows. */
static void sort_entries(struct key_room *room, size_t count)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		struct key_entry *from = room->entries;
		size_t at[257] = {0};
		for (size_t i = 0; i < count; i++)
			at[(from[i].key >> shift & 0xff) + 1]++;
		for (int b = 0; b < 256; b++)
			at[b + 1] += at[b];
		for (size_t i = 0; i < count; i++)
			room->spare[at[from[i].key >> shift & 0xff]++] = from[i];
		room->entries = room->spare;
		room->spare = from;
	}
}

bool sketch_has_shingles(const struct find_file *file)
{
	static const struct simhash_resemblance_sketch blank;

	return file->has_sketch && memcmp(&file->sketch, &blank, sizeof blank) != 0;
}

static void begin_key(struct key_pairs *pairs)
{
	struct key_room *room = pairs->room;

	pairs->count = room->row_count;
	for (size_t i = 0; i < room->row_count; i++) {
		uint32_t row = room->rows[i];
		room->entries[i] = (struct key_entry){room->keys[row].key[pairs->key], row};
	}
	sort_entries(room, pairs->count);
	pairs->begin = pairs->first = pairs->second = 0;
}

void key_pairs_begin(struct key_pairs *pairs, struct key_room *room, const struct block *block,
		     unsigned key, unsigned end_key)
{
	*pairs = (struct key_pairs){.room = room, .block = block, .key = key, .end_key = end_key};
	begin_key(pairs);
}

/* Go on to the next second entry: one that is new, with others of its key before it. */
static bool next_second(struct key_pairs *pairs)
{
	const struct key_entry *entries = pairs->room->entries;

	while (++pairs->second < pairs->count) {
		if (entries[pairs->second].key != entries[pairs->begin].key)
			pairs->begin = pairs->second;
		pairs->first = pairs->begin;
		if (pairs->first < pairs->second &&
		    entries[pairs->second].row >= pairs->block->first_new)
			return true;
	}
	return false;
}

bool key_pairs_next(struct key_pairs *pairs, uint32_t *x, uint32_t *y)
{
	for (;;) {
		const struct key_entry *entries = pairs->room->entries;
		while (pairs->first < pairs->second) {
			*x = entries[pairs->first++].row;
			*y = entries[pairs->second].row;
			if (!share_before(&pairs->room->keys[*x], &pairs->room->keys[*y],
					  pairs->key))
				return true;
		}
		if (next_second(pairs))
			continue;
		if (++pairs->key >= pairs->end_key)
			return false;
		begin_key(pairs);
	}
}
