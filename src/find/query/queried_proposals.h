/*
 * Finds the rows of the index that sketches or pieces propose as partners of requested files, at any
 * distance of their counts. Only the sketches of rows with near sizes and numbers of tags are read,
 * and the pieces of all contents.
 *
 *     status = queried_proposals_find(reaches, count, finder, &stores, max, &parts, &keys,
 *                                     &compared, &error);
 *     ... queried_rows_begin(&rows, finder, store, keys.keys, keys.count), see queried_rows.h
 *     ... queried_parts_of(&parts, &row, &end), see queried_parts.h
 *     queried_keys_release(&keys);
 *     queried_parts_release(&parts);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_PROPOSALS_H
#define SIMHASH_FIND_QUERIED_PROPOSALS_H

#include "find/query/queried_parts.h"

/*
 * Collect the sorted keys of these rows: with the files that a row may be a pair with by its sketch,
 * unless names or extensions decide otherwise; and with NO_REACH if its content may be one of
 * `parts`. *compared grows by the number of comparisons of two sketches. Returns 1, or 0 if several
 * files have more than `max` keys. Error: memory is short, or the index cannot be read.
 */
int queried_proposals_find(const struct queried_reach *reaches, size_t count,
			   const struct finder *finder, const struct find_stores *stores,
			   size_t max, struct queried_parts *parts, struct queried_keys *keys,
			   uint64_t *compared, struct simhash_error *error);

#endif
