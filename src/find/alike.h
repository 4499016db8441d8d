/*
 * Finding by the sketches of another measure, instead of keys and sum tables.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ALIKE_H
#define SIMHASH_FIND_ALIKE_H

#include "find/find.h"

/* The number of the measure of the options in the index. Error: the index has none of its sketches. */
int alike_measure_id(const struct finder *finder, int64_t *id, struct simhash_error *error);

/* Count the files that have no sketch by a measure, so that they cannot be found. */
int alike_count_unsketched(struct finder *finder, int64_t measure, struct simhash_error *error);

/* All pairs; see finder_all. */
int alike_all(struct finder *finder, struct simhash_error *error);

#endif
