/*
 * Reads the rows of the index before the walk, if that is faster than a question for each
 * directory: when the walk will meet a good part of the directories that the index has.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LOOK_AHEAD_H
#define SIMHASH_INDEX_LOOK_AHEAD_H

#include "index/run/walker.h"

/*
 * Read, by the connections of all walkers, and give the table to their reconcilers. NULL in
 * *table where questions are better; else the caller frees it after the walk.
 */
int look_ahead(struct walkers *walkers, struct known_table **table, struct simhash_error *error);

#endif
