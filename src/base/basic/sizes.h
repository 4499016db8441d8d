/*
 * Adds sizes without overflow.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SIZES_H
#define SIMHASH_BASE_SIZES_H

#include <stdint.h>

/* Neither is below 0. An index may hold any sizes: their sum stays at the end of its range. */
static inline void add_size(int64_t *sum, int64_t size)
{
	*sum = size > INT64_MAX - *sum ? INT64_MAX : *sum + size;
}

#endif
