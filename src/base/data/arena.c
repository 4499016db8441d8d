/*
 * Takes memory from a list of large chunks and fills each chunk from its start.
 * SPDX-License-Identifier: MIT
 */
#include "base/data/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define CHUNK ((size_t)256 * 1024)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

void *arena_take(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *piece;

	size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	if (chunk == NULL || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof *chunk + room);
		if (chunk == NULL)
			return NULL;
		*chunk = (struct arena_chunk){.next = arena->chunks, .size = room};
		arena->chunks = chunk;
	}
	piece = chunk->bytes + chunk->used;
	chunk->used += size;
	return piece;
}

void arena_join(struct arena *arena, struct arena *other)
{
	struct arena_chunk **last = &arena->chunks;

	while (*last != NULL)
		last = &(*last)->next;
	*last = other->chunks;
	other->chunks = NULL;
}

void arena_release(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *next = arena->chunks->next;
		free(arena->chunks);
		arena->chunks = next;
	}
}

void arena_clear(struct arena *arena)
{
	struct arena_chunk *kept = arena->chunks;

	if (kept == NULL)
		return;
	arena->chunks = kept->next;
	arena_release(arena);
	kept->next = NULL;
	kept->used = 0;
	arena->chunks = kept;
}
