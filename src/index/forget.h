/*
 * Removing rows from an index by path.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FORGET_H
#define SIMHASH_INDEX_FORGET_H

#include <stdint.h>

#include "simhash.h"

struct store;

/*
 * Remove the rows at and below an absolute path, of one host and one tag set, or of all tag sets
 * where `tag_set` is 0. *removed counts them.
 */
int forget_path(struct store *store, int64_t tag_set, int64_t host, const char *path,
		int64_t *removed, struct simhash_error *error);

#endif
