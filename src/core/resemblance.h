/*
 * The registers of a resemblance sketch before they become bytes; see simhash_resemblance.h. The
 * pieces of a content may be added in any order and by several threads, each with its own
 * registers, which are merged.
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
 * Positions are looked at in groups, and hits are limited in blocks, by their offset in the
 * content; so pieces begin where a block does.
 */
#define RESEMBLANCE_BLOCK 4096

/* From so many bytes on the level is RESEMBLANCE_LEVEL_MAX, whatever follows. */
#define RESEMBLANCE_LEVEL_MAX 7
#define RESEMBLANCE_LEVEL_KNOWN (65536 + SHINGLE_OVERLAP)

struct resemblance_registers {
	uint64_t value[SIMHASH_RESEMBLANCE_REGISTERS]; /* the least so far; UINT64_MAX: none */
};

/*
 * The level of a content of this size: a shingle in 2^level is sampled, so that 512 to 1,024
 * are expected, or all of fewer than 1,024.
 */
static inline unsigned resemblance_level(uint64_t size_bytes)
{
	uint64_t positions = size_bytes < SHINGLE_SIZE ? 0 : size_bytes - SHINGLE_OVERLAP;
	unsigned level = 63 - (unsigned)__builtin_clzll(positions >> 9 | 1);

	return level < RESEMBLANCE_LEVEL_MAX ? level : RESEMBLANCE_LEVEL_MAX;
}

/* Hits of a block after which no further group of its positions is looked at. */
size_t resemblance_hits_max(unsigned level);

void resemblance_begin(struct resemblance_registers *registers);

/*
 * Add the shingles that begin at the bytes 0 .. size - SHINGLE_SIZE of a piece, which is at
 * `offset` in the content, a multiple of RESEMBLANCE_BLOCK. Pieces that follow one another
 * overlap by SHINGLE_OVERLAP bytes.
 */
void resemblance_add(struct resemblance_registers *registers, unsigned level, uint64_t offset,
		     const uint8_t *bytes, size_t size_bytes);

/* Into `registers` what both have seen. Both were made by the same level. */
void resemblance_merge(struct resemblance_registers *registers,
		       const struct resemblance_registers *other);

/*
 * Add to what a scanner has seen what was seen of the content by RESEMBLANCE_LEVEL_MAX elsewhere. The
 * scanner has been given RESEMBLANCE_LEVEL_KNOWN bytes.
 */
void resemblance_scanner_merge(struct simhash_resemblance_scanner *scanner,
			       const struct resemblance_registers *registers);

void resemblance_finish(const struct resemblance_registers *registers,
			struct simhash_resemblance_sketch *sketch);

#endif
