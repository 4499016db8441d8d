/*
 * Estimates from counts and sizes how much of the content of two files differs. The estimate is off
 * by a factor of 2 to 5: see docs/algorithm.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ESTIMATE_H
#define SIMHASH_FIND_ESTIMATE_H

#include <stdint.h>

#include "simhash.h"

/* The share of content that differs, 0 to 1; unrelated files have 1. */
double estimate_change(const struct simhash_sum_table *a, int64_t size_a_bytes,
		       const struct simhash_sum_table *b, int64_t size_b_bytes);

#endif
