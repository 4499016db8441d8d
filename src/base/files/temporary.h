/*
 * Creates temporary files for lists that are larger than memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TEMPORARY_H
#define SIMHASH_BASE_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "simhash.h"

/* Create a file without a name in $TMPDIR, or in /tmp if it is not set. NULL with errno. */
FILE *temporary_file(void);

/* Fill the error for a failed write or read from errno. Returns -1. */
int temporary_no_room(struct simhash_error *error);
int temporary_unreadable(struct simhash_error *error);

/* Read `size` bytes that the file has at `place`. Any thread may call this. */
int temporary_read_at(FILE *file, void *bytes, size_t size, off_t place,
		      struct simhash_error *error);
int temporary_write_at(FILE *file, const void *bytes, size_t size, off_t place,
		       struct simhash_error *error);

/* Reads a file piece by piece. */
struct temporary_window {
	FILE *file;	 /* borrowed */
	off_t next, end; /* the part that is not in the buffer */
	char *buffer;	 /* owned; the caller frees it */
	size_t at, filled, capacity;
};

/*
 * Return a pointer to at least `needed` bytes, which the file must have. It is valid until the next
 * call. The caller advances `at` over the bytes that it uses. NULL with an error.
 */
const void *temporary_peek(struct temporary_window *window, size_t needed,
			   struct simhash_error *error);

/* Returns true if all bytes were used. */
static inline bool temporary_is_at_end(const struct temporary_window *window)
{
	return window->next == window->end && window->at == window->filled;
}

#endif
