/*
 * Keeps notes of paths in a hash table.
 * SPDX-License-Identifier: MIT
 */
#include "act/journal/path_notes.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/basic/seed.h"
#include "base/data/array.h"

struct note_key {
	const struct path_notes *notes;
	struct bytes path;
};

static bool is_path(const void *key, uint32_t number)
{
	const struct note_key *wanted = key;
	struct bytes path = wanted->notes->list[number - 1].path;

	return path.size == wanted->path.size &&
	       memcmp(path.data, wanted->path.data, path.size) == 0;
}

static uint64_t hash_path(struct bytes path)
{
	return XXH3_64bits_withSeed(path.data, path.size, hash_seeded(0, 0));
}

struct path_note *path_notes_find(const struct path_notes *notes, struct bytes path)
{
	uint32_t number = slots_number(&notes->slots, hash_path(path), is_path,
				       &(struct note_key){notes, path});

	return number == NO_ITEM ? NULL : &notes->list[number - 1];
}

int path_notes_add(struct path_notes *notes, struct bytes path, struct path_note **note,
		   struct simhash_error *error)
{
	uint64_t hash = hash_path(path);
	struct slot *slot;
	char *text;

	if (slots_reserve(&notes->slots, error) != 0 ||
	    array_reserve(&notes->list, &notes->capacity, notes->count + 1, sizeof *notes->list,
			  error) != 0)
		return -1;
	slot = slots_find(&notes->slots, hash, is_path, &(struct note_key){notes, path});
	if (slot->number == NO_ITEM) {
		text = arena_take(&notes->paths, path.size + 1);
		if (text == NULL)
			return error_set_memory(error);
		memcpy(text, path.data, path.size);
		text[path.size] = '\0';
		notes->list[notes->count++] = (struct path_note){.path = {text, path.size}};
		slots_add(&notes->slots, slot, hash, (uint32_t)notes->count);
	}
	*note = &notes->list[slot->number - 1];
	return 0;
}

void path_notes_release(struct path_notes *notes)
{
	free(notes->list);
	slots_release(&notes->slots);
	arena_release(&notes->paths);
	*notes = (struct path_notes){.count = 0};
}
