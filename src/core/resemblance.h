/*
 * Collects the registers of a resemblance sketch before they become bytes; see
 * simhash_resemblance.h. The pieces of a content may be added in any order. Several threads may add
 * pieces, each with its own registers, which are merged.
 *
 *     level = resemblance_level(size);
 *     resemblance_begin(&registers);
 *     resemblance_add(&registers, level, 0, bytes, size);
 *     resemblance_finish(&registers, &sketch);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_RESEMBLANCE_H
#define SIMHASH_CORE_RESEMBLANCE_H

#include "simhash_resemblance.h"

#define SHINGLE_SIZE 16
#define SHINGLE_OVERLAP (SHINGLE_SIZE - 1) /* bytes that neighbouring pieces share */

/*
 * Positions are examined in groups, and hits are limited in blocks. Both depend on the offset in
 * the content, so a piece begins where a block begins.
 */
#define RESEMBLANCE_BLOCK 4096

/* A content of at least this size has the level RESEMBLANCE_LEVEL_MAX. */
#define RESEMBLANCE_LEVEL_MAX 7
#define RESEMBLANCE_LEVEL_KNOWN (65536 + SHINGLE_OVERLAP)

struct resemblance_registers {
	uint64_t value[SIMHASH_RESEMBLANCE_REGISTERS]; /* the minimum so far; UINT64_MAX: none */
};

/*
 * Return the level of a content of this size. One of 2^level shingles is sampled, so 512 to 1,024
 * samples are expected. A content with fewer than 1,024 shingles is sampled completely.
 */
static inline unsigned resemblance_level(uint64_t size_bytes)
{
	uint64_t positions = size_bytes < SHINGLE_SIZE ? 0 : size_bytes - SHINGLE_OVERLAP;
	unsigned level = 63 - (unsigned)__builtin_clzll(positions >> 9 | 1);

	return level < RESEMBLANCE_LEVEL_MAX ? level : RESEMBLANCE_LEVEL_MAX;
}

/* After this number of hits in a block, no further group of its positions is examined. */
size_t resemblance_hits_max(unsigned level);

void resemblance_begin(struct resemblance_registers *registers);

/*
 * Add the shingles that begin at the bytes 0 .. size - SHINGLE_SIZE of a piece. `offset` is its
 * place in the content, a multiple of RESEMBLANCE_BLOCK. Consecutive pieces overlap by
 * SHINGLE_OVERLAP bytes.
 */
void resemblance_add(struct resemblance_registers *registers, unsigned level, uint64_t offset,
		     const uint8_t *bytes, size_t size_bytes);

/* Merge `other` into `registers`. Both must have the same level. */
void resemblance_merge(struct resemblance_registers *registers,
		       const struct resemblance_registers *other);

/*
 * Merge into a scanner the registers of other parts of the content, which were made with
 * RESEMBLANCE_LEVEL_MAX. The scanner must have received RESEMBLANCE_LEVEL_KNOWN bytes.
 */
void resemblance_scanner_merge(struct simhash_resemblance_scanner *scanner,
			       const struct resemblance_registers *registers);

void resemblance_finish(const struct resemblance_registers *registers,
			struct simhash_resemblance_sketch *sketch);

#endif
