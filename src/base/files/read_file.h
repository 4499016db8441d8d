/*
 * Reads a whole file into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_READ_FILE_H
#define SIMHASH_BASE_READ_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "simhash.h"

/*
 * Open a file that somebody named, to be read by read_some: a pipe opens at once, and its writer is
 * waited for there. -1 with errno.
 */
int open_input(const char *path);

/*
 * read(2), which waits until there are bytes or the end, and at most 0.1 s after *stop was set: then -1
 * with the error code ERROR_STOPPED. `stop` may be NULL. `name` is for errors.
 */
ssize_t read_some(int fd, const char *name, void *bytes, size_t size, const atomic_bool *stop,
		  struct simhash_error *error);

/*
 * Read a descriptor to its end: *bytes, followed by a zero that is not counted, is the caller's
 * to free. At most `max_bytes`; `name` is for errors. Errors: SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY,
 * SIMHASH_E_RANGE for more than that.
 */
int read_descriptor(int fd, const char *name, size_t max_bytes, char **bytes, size_t *size,
		    struct simhash_error *error);

/* Open, read and close a file. */
int read_path(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error);

/* The same, but "-" is standard input. */
int read_file(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error);

/* Like read_path, a text of lines: decoded, and with an error for a zero byte in it. */
int read_text_file(const char *path, size_t max_bytes, char **text, size_t *size,
		   struct simhash_error *error);

/*
 * Have a text that one of these read be without a byte-order mark, and in UTF-8 where that mark is one
 * of UTF-16. -1 frees it, with the error SIMHASH_E_SYNTAX for one that ends within a character.
 */
int text_decode(const char *name, char **bytes, size_t *size, struct simhash_error *error);

#endif
