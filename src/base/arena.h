/*
 * Memory that is given out in pieces and freed all at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ARENA_H
#define SIMHASH_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* the one in use first */
};

/* `size` bytes, aligned for any object; they stay where they are. NULL: no memory. */
void *arena_take(struct arena *arena, size_t size);

/* Take all of it back, but keep a chunk for what comes. */
void arena_clear(struct arena *arena);

void arena_release(struct arena *arena);

#endif
