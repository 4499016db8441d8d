/*
 * Reads and writes numbers as bytes in a fixed order, the same on every machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_BYTE_ORDER_H
#define SIMHASH_BASE_BYTE_ORDER_H

#include <stdint.h>

/* `size` is at most 8 bytes. */
static inline uint64_t read_big_endian(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static inline uint64_t read_little_endian(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | bytes[size];
	return value;
}

static inline void write_big_endian(uint8_t *bytes, unsigned size, uint64_t value)
{
	for (unsigned i = size; i-- > 0; value >>= 8)
		bytes[i] = (uint8_t)value;
}

#endif
