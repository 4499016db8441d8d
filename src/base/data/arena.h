/*
 * Memory that is handed out in pieces and freed all at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ARENA_H
#define SIMHASH_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* the one in use first */
};

/* Returns `size` bytes, aligned for any object, that never move; NULL when memory is short. */
void *arena_take(struct arena *arena, size_t size);

/* Invalidate every piece, and keep one chunk for the next ones. */
void arena_clear(struct arena *arena);

/* Have the pieces of another one belong to this one. */
void arena_join(struct arena *arena, struct arena *other);

void arena_release(struct arena *arena);

#endif
