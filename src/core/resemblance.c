/*
 * Makes a resemblance sketch from the shingles that the kernels sample.
 * SPDX-License-Identifier: MIT
 */
#include "core/resemblance.h"

#include <assert.h>
#include <string.h>

#include "core/scan_kernel.h"

#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

#define HITS_MIN 256

size_t resemblance_hits_max(unsigned level)
{
	size_t expected = RESEMBLANCE_BLOCK >> level;

	return 8 * expected > HITS_MIN ? 8 * expected : HITS_MIN;
}

void resemblance_begin(struct resemblance_registers *registers)
{
	memset(registers->value, 0xff, sizeof registers->value);
	registers->pieces = NULL;
}

void resemblance_add(struct resemblance_registers *registers, unsigned level, uint64_t offset,
		     const uint8_t *bytes, size_t size_bytes)
{
	struct piece_collector *pieces = registers->pieces;

	assert(offset % RESEMBLANCE_BLOCK == 0);
	(void)offset;
	if (pieces != NULL)
		pieces->sampled = level;
	if (level < PIECE_LEVEL_MIN && pieces != NULL && !pieces->takes_small)
		registers->pieces = NULL;
	if (size_bytes >= SHINGLE_SIZE)
		scan_kernel()->add_shingles(registers, level, bytes, size_bytes - SHINGLE_OVERLAP);
	registers->pieces = pieces;
}

void resemblance_merge(struct resemblance_registers *registers,
		       const struct resemblance_registers *other)
{
	for (int i = 0; i < REGISTERS; i++)
		if (other->value[i] < registers->value[i])
			registers->value[i] = other->value[i];
}

void resemblance_finish(const struct resemblance_registers *registers,
			struct simhash_resemblance_sketch *sketch)
{
	for (int i = 0; i < REGISTERS; i++) {
		uint64_t value = registers->value[i];
		sketch->registers[i] = value == UINT64_MAX ? 0 : (uint8_t)(1 + value % 255);
	}
	memset(sketch->text, 0, sizeof sketch->text);
}

bool resemblance_load(const void *bytes, size_t size, struct simhash_resemblance_sketch *sketch)
{
	if (size != RESEMBLANCE_STORED_SIZE && size != RESEMBLANCE_STORED_TEXT_SIZE)
		return false;
	memset(sketch->text, 0, sizeof sketch->text);
	memcpy(sketch, bytes, size);
	return size == resemblance_stored_size(sketch) &&
	       resemblance_size(sketch, SHINGLE_SIZE) >= SHINGLE_SIZE;
}
