/*
 * Reading a whole file into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_READ_FILE_H
#define SIMHASH_BASE_READ_FILE_H

#include <stddef.h>

#include "simhash.h"

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

#endif
