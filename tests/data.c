/*
 * Making data for tests and benchmarks of the scan.
 * SPDX-License-Identifier: MIT
 */
#include "data.h"

#include <string.h>

static uint64_t random_state = 1;

void data_seed(uint64_t seed)
{
	random_state = seed;
}

uint8_t data_random_byte(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint8_t)(random_state >> 56);
}

const char *data_name(enum data_kind kind)
{
	static const char *const names[DATA_KINDS] = {
		"random",
		"words",
		"runs of zeros",
		"sparse bits",
		"zeros",
		"ones",
		"zeros, shifted",
		"49 repeated",
		"db repeated, broken",
		"18 chained at random",
		"db chained at random",
		"33 chained by 4",
		"74 chained by 7",
	};

	return names[kind];
}

void data_chain(uint8_t tag, const unsigned *gaps, unsigned gap_count, uint8_t *bytes, size_t size)
{
	size_t bit = 0;

	memset(bytes, 0, size);
	while (bit + 8 <= 8 * size) {
		bytes[bit / 8] |= (uint8_t)(tag >> bit % 8);
		if (bit % 8 != 0)
			bytes[bit / 8 + 1] |= (uint8_t)(tag << (8 - bit % 8));
		bit += gaps[data_random_byte() % gap_count];
	}
}

/* Kinds that are made byte by byte. */
static uint8_t byte_at(enum data_kind kind, size_t i)
{
	static const char words[] = "the tree of tests meets the fleeting text ";
	static const uint8_t tag_49[] = {0x49, 0x24, 0x92}, tag_db[] = {0xdb, 0x6d, 0xb6};

	switch ((int)kind) {
	case DATA_RANDOM:
		return data_random_byte();
	case DATA_WORDS:
		return (uint8_t)words[(i + (data_random_byte() < 30)) % (sizeof words - 1)];
	case DATA_ZERO_RUNS:
		return data_random_byte() < 110 ? data_random_byte() : 0;
	case DATA_SPARSE_BITS:
		return (uint8_t)(data_random_byte() < 12 ? 1u << (data_random_byte() % 8) : 0u);
	case DATA_ONES:
		return 0xff;
	case DATA_ZEROS_SHIFTED:
		return i == 0 ? 0x20 : 0x00;
	case DATA_TAG_49:
		return tag_49[i % 3];
	case DATA_TAG_DB:
		return tag_db[(i + i / 1000) % 3];
	default:
		return 0;
	}
}

void data_fill(enum data_kind kind, uint8_t *bytes, size_t size)
{
	data_seed(7);
	switch ((int)kind) {
	case DATA_CHAIN_18:
		data_chain(0x18, (const unsigned[]){5, 6, 7}, 3, bytes, size);
		break;
	case DATA_CHAIN_DB:
		data_chain(0xdb, (const unsigned[]){3, 3, 3, 3, 3, 3, 3, 7}, 8, bytes, size);
		break;
	case DATA_CHAIN_33:
		data_chain(0x33, (const unsigned[]){4}, 1, bytes, size);
		break;
	case DATA_CHAIN_74:
		data_chain(0x74, (const unsigned[]){7}, 1, bytes, size);
		break;
	default:
		for (size_t i = 0; i < size; i++)
			bytes[i] = byte_at(kind, i);
	}
}
