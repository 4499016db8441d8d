/*
 * Adds sizes without overflow.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SIZES_H
#define SIMHASH_BASE_SIZES_H

#include <stdint.h>

/*
 * Add `size` to *sum. Neither is negative. A sum that exceeds INT64_MAX becomes INT64_MAX, because
 * an index may have any sizes.
 */
static inline void add_size(int64_t *sum, int64_t size)
{
	*sum = size > INT64_MAX - *sum ? INT64_MAX : *sum + size;
}

#endif
