/*
 * The first error of several threads.
 * SPDX-License-Identifier: MIT
 */
#include "base/first_error.h"

void first_error_init(struct first_error *first, struct simhash_error *error)
{
	*first = (struct first_error){.is_taken = ATOMIC_FLAG_INIT, .error = error};
}

void first_error_set(struct first_error *first, const struct simhash_error *error)
{
	if (atomic_flag_test_and_set(&first->is_taken))
		return;
	*first->error = *error;
	atomic_store(&first->is_set, true);
}

bool first_error_is_set(struct first_error *first)
{
	return atomic_load(&first->is_set);
}
