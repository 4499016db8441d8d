/*
 * Lists files that a measure cannot find because they have no sketch of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_UNSKETCHED_H
#define SIMHASH_FIND_UNSKETCHED_H

#include "base/data/arena.h"
#include "find/rule/find.h"

/*
 * The displayed names of the first `max` files that the request covers and that have no sketch of
 * its measure. The names are in the arena.
 */
int read_unsketched(const struct finder *finder, size_t max, struct arena *arena,
		    struct bytes *files, size_t *count, struct simhash_error *error);

#endif
