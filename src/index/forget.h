/*
 * Taking rows out of an index by path.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FORGET_H
#define SIMHASH_INDEX_FORGET_H

#include "store/store.h"

/*
 * The absolute path of what a user names, with its links resolved as far as it is
 * there: what is gone can still be forgotten. NULL when memory is short.
 */
char *absolute_path(const char *path);

/*
 * Remove the rows at and below an absolute path, of one host and every tag set.
 * *removed is their number.
 */
int forget_path(struct store *store, int64_t host, const char *path, int64_t *removed,
		struct simhash_error *error);

#endif
