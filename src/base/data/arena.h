/*
 * Hands out memory in pieces and frees all pieces at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ARENA_H
#define SIMHASH_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* the chunk in use is first */
};

/* Return `size` bytes, aligned for any object. They never move. NULL if memory is short. */
void *arena_take(struct arena *arena, size_t size);

/* Invalidate all pieces, and keep one chunk for the next pieces. */
void arena_clear(struct arena *arena);

/* Move all pieces of `other` to this arena. */
void arena_join(struct arena *arena, struct arena *other);

void arena_release(struct arena *arena);

#endif
