/*
 * Finds all pairs of files in which one is part of a much larger one, by the pieces of their
 * contents (core/content_pieces.h), at any ratio of sizes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PART_JOIN_H
#define SIMHASH_FIND_PART_JOIN_H

#include "find/rule/finder.h"

/*
 * After all other pairs: if the request names parts, report the parts that the counts and the
 * sketches do not find. The smallest pieces of each content are in memory, at most as many as fit;
 * the pieces of all contents are read twice for as many contents as fit. Pieces that many contents
 * have do not count. Error: memory is short, or the index cannot be read.
 */
int part_join_report(struct finder *finder, struct simhash_error *error);

#endif
