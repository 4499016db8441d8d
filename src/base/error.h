/*
 * Filling a caller's struct simhash_error, for every floor of the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ERROR_H
#define SIMHASH_BASE_ERROR_H

#include "simhash.h"

/* Record `code` and a message. Always returns -1, so that callers can return it. */
__attribute__((format(printf, 3, 4))) int
error_set(struct simhash_error *error, enum simhash_error_code code, const char *format, ...);

/* The same for a failed system call: ": " and the text of errno are appended. */
__attribute__((format(printf, 2, 3))) int error_set_errno(struct simhash_error *error,
							  const char *format, ...);

/* An allocation failed. Returns -1. */
int error_set_memory(struct simhash_error *error);

/* Analyzers, and compilers, that read one file at a time see by this what is returned. */
static inline int error_was_set(int status)
{
	(void)status;
	return -1;
}
#define error_set(...) error_was_set(error_set(__VA_ARGS__))
#define error_set_errno(...) error_was_set(error_set_errno(__VA_ARGS__))
#define error_set_memory(error) error_was_set(error_set_memory(error))

#endif
