/*
 * Reads the rows of the index before the walk, if this is faster than a query for each directory.
 * This is so if the walk will meet a large part of the directories in the index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LOOK_AHEAD_H
#define SIMHASH_INDEX_LOOK_AHEAD_H

#include "index/run/walker.h"

/*
 * Read with the connections of all walkers, and give the table to their reconcilers. *table is NULL
 * if queries are better; otherwise the caller frees it after the walk.
 */
int look_ahead(struct walkers *walkers, struct known_table **table, struct simhash_error *error);

#endif
