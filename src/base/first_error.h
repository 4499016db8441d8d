/*
 * The first error of several threads that do one piece of work: whoever fails sets it, all look
 * at it and end.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_FIRST_ERROR_H
#define SIMHASH_BASE_FIRST_ERROR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "simhash.h"

struct first_error {
	atomic_flag is_taken; /* by the thread whose error it is */
	atomic_bool is_set;
	struct simhash_error *error; /* to be read when all threads have ended */
};

void first_error_init(struct first_error *first, struct simhash_error *error);

/* Any thread; an error after the first is ignored. */
void first_error_set(struct first_error *first, const struct simhash_error *error);

bool first_error_is_set(struct first_error *first);

#endif
