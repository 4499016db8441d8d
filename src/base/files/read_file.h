/*
 * Reads whole files into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_READ_FILE_H
#define SIMHASH_BASE_READ_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "simhash.h"

/*
 * Open a file that somebody named, for read_some. A pipe opens at once; read_some waits for its
 * writer. -1 with errno.
 */
int open_input(const char *path);

/*
 * Call read(2) and wait until there are bytes, or the end. If *stop is set, returns at most 0.1 s
 * later with -1 and the error code ERROR_STOPPED. `stop` may be NULL. Errors contain `name`.
 */
ssize_t read_some(int fd, const char *name, void *bytes, size_t size, const atomic_bool *stop,
		  struct simhash_error *error);

/*
 * Read a descriptor to its end. *bytes, which the caller frees, is followed by a zero that *size
 * does not count. Errors contain `name`. Errors: SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY,
 * SIMHASH_E_RANGE for more than `max_bytes`.
 */
int read_descriptor(int fd, const char *name, size_t max_bytes, char **bytes, size_t *size,
		    struct simhash_error *error);

/* Open, read and close a file. */
int read_path(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error);

/* The same, but "-" means standard input. */
int read_file(const char *path, size_t max_bytes, char **bytes, size_t *size,
	      struct simhash_error *error);

/* Read a text of lines like read_path, and decode it. A zero byte is an error. */
int read_text_file(const char *path, size_t max_bytes, char **text, size_t *size,
		   struct simhash_error *error);

/*
 * Remove the byte-order mark from a text that one of these functions read. A text with a UTF-16
 * mark is converted to UTF-8. If it ends within a character, free it and return -1 with the error
 * SIMHASH_E_SYNTAX.
 */
int text_decode(const char *name, char **bytes, size_t *size, struct simhash_error *error);

#endif
