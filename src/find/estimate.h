/*
 * How much of two files' content differs, estimated from their counts and sizes alone.
 * See docs/algorithm.md for how far it can be trusted.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ESTIMATE_H
#define SIMHASH_FIND_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "simhash.h"

struct estimate {
	double changed; /* the share of content that differs, 0 to 1; unrelated files have 1 */
	/* Of 10,000 pairs of unrelated files of one kind that come so near, 1 is trusted. */
	bool is_trusted;
};

struct estimate estimate_change(const struct simhash_sum_table *a, int64_t size_a_bytes,
				const struct simhash_sum_table *b, int64_t size_b_bytes);

#endif
