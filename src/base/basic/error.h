/*
 * Fills a caller's struct simhash_error. Every room uses it, so the internal error codes of all
 * rooms are listed here.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ERROR_H
#define SIMHASH_BASE_ERROR_H

#include "simhash.h"
#include "simhash_index.h"

/* Codes that no public function returns. They continue the codes of simhash_index.h. */
enum error_code {
	ERROR_DUPLICATE = 64, /* a row with this primary or unique key exists */
	ERROR_RETRY,	      /* lock timeout or deadlock: the same statement may succeed again */
	ERROR_STOPPED	      /* the caller asked to stop */
};

/*
 * Record a code and a message. A message that does not fit keeps its beginning and its end, which
 * gives the reason. `error` may be NULL. Always returns -1, so callers can return the result.
 */
__attribute__((format(printf, 3, 4))) int error_set(struct simhash_error *error, int code,
						    const char *format, ...);

/* The same for a failed system call: appends ": " and the text of errno. Keeps errno. */
__attribute__((format(printf, 2, 3))) int error_set_errno(struct simhash_error *error,
							  const char *format, ...);

/* Record that an allocation failed. Returns -1. */
int error_set_memory(struct simhash_error *error);

/* Shows analyzers and compilers that read one file at a time which values are returned. */
static inline int error_was_set(int status)
{
	(void)status;
	return -1;
}
#define error_set(...) error_was_set(error_set(__VA_ARGS__))
#define error_set_errno(...) error_was_set(error_set_errno(__VA_ARGS__))
#define error_set_memory(error) error_was_set(error_set_memory(error))

#endif
