/*
 * Lists files that a measure cannot find, because they have no sketch by it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_UNSKETCHED_H
#define SIMHASH_FIND_UNSKETCHED_H

#include "base/data/arena.h"
#include "find/rule/find.h"

/*
 * The first of the files that the request is about and that have no sketch by its measure, at most
 * `max` of them, as they are displayed; they live in the arena.
 */
int read_unsketched(const struct finder *finder, size_t max, struct arena *arena,
		    struct bytes *files, size_t *count, struct simhash_error *error);

#endif
