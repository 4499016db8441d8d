/*
 * The oracle that works bit by bit. It is slow and simple on purpose: it fetches one bit at a time,
 * builds every window again, and has a counter for each tag that skips.
 * SPDX-License-Identifier: MIT
 */
#include "reference.h"

#include <string.h>

const struct reference_tag reference_sample[16] = {
	{0x00, 1280, 6000}, {0x74, 1240, 4030}, {0x65, 1200, 3290}, {0xa4, 1160, 2680},
	{0xd3, 1120, 0},    {0x27, 1080, 0},	{0x3f, 1040, 0},    {0xc0, 1000, 0},
	{0x49, 1000, 0},    {0xed, 960, 0},	{0x3c, 920, 0},	    {0x18, 880, 0},
	{0x05, 840, 0},	    {0xdb, 800, 0},	{0x76, 760, 0},	    {0xef, 720, 0},
};

/* Bit `position` of the file; the most significant bit of each byte is first. */
static unsigned bit_at(const uint8_t *bytes, size_t position)
{
	return (unsigned)bytes[position / 8] >> (7 - position % 8) & 1u;
}

void reference_counts(const struct reference_tag tags[16], const uint8_t *bytes, size_t size,
		      uint64_t counts[16])
{
	unsigned skip[16] = {0};

	memset(counts, 0, 16 * sizeof *counts);
	if (size == 0)
		return;
	for (size_t p = 0; p <= 8 * size - 8; p++) {
		unsigned window = 0;
		for (size_t i = 0; i < 8; i++)
			window = window * 2 + bit_at(bytes, p + i);
		for (int t = 0; t < 16; t++) {
			if (skip[t] != 0) {
				skip[t] = skip[t] - 1;
			} else if (window == tags[t].pattern) {
				counts[t] = counts[t] + 1;
				skip[t] = 7;
			}
		}
	}
}

/* CRC-32 by its definition: the reflected polynomial, bit by bit. */
static uint32_t crc_32(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int k = 0; k < 8; k++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

void reference_keys(const struct reference_tag tags[16], const uint64_t counts[16],
		    const char *name, size_t name_length, uint64_t keys[6])
{
	uint8_t extension[3];
	size_t length = 0, dot = name_length;
	uint64_t shift = 0;

	memset(keys, 0, 6 * sizeof *keys);
	for (int t = 0; t < 16; t++) {
		keys[0] += counts[t];
		keys[1] += counts[t] * tags[t].scatter_thousandths / 1000;
		keys[2] += counts[t] * tags[t].skew_thousandths / 1000;
	}
	for (size_t i = 1; i < name_length; i++)
		if (name[i] == '.')
			dot = i;
	for (size_t i = dot + 1; i < name_length && length < 3; i++) {
		uint8_t c = (uint8_t)name[i];
		if (c >= 0x41 && c <= 0x5a)
			c = (uint8_t)(c + 0x20);
		extension[length++] = c;
	}
	if (length > 0)
		shift = (uint64_t)crc_32(extension, length) * 1073741824u;
	for (int k = 0; k < 3; k++)
		keys[3 + k] = keys[k] + shift;
}
