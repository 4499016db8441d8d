/*
 * Temporary files for lists that are larger than memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TEMPORARY_H
#define SIMHASH_BASE_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "simhash.h"

/* In $TMPDIR, or /tmp, without a name any more; NULL with errno. */
FILE *temporary_file(void);

/* -1, with the error of a write or a read by errno. */
int temporary_no_room(struct simhash_error *error);
int temporary_unreadable(struct simhash_error *error);

/* All of `size` bytes at a place of the file, which has them when they are read. Any thread. */
int temporary_read_at(FILE *file, void *bytes, size_t size, off_t place,
		      struct simhash_error *error);
int temporary_write_at(FILE *file, const void *bytes, size_t size, off_t place,
		       struct simhash_error *error);

/* What is read of a file one piece after another. */
struct temporary_window {
	FILE *file;	 /* borrowed */
	off_t next, end; /* of what is not in the buffer */
	char *buffer;	 /* owned; the caller frees it */
	size_t at, filled, capacity;
};

/*
 * At least `needed` bytes from `at` on, which there are, in the buffer until the next call; the
 * caller moves `at` behind what it takes. NULL with the error filled.
 */
const void *temporary_peek(struct temporary_window *window, size_t needed,
			   struct simhash_error *error);

/* Nothing is left. */
static inline bool temporary_is_at_end(const struct temporary_window *window)
{
	return window->next == window->end && window->at == window->filled;
}

#endif
