/*
 * Collects the registers of a resemblance sketch before they become bytes; see
 * simhash_resemblance.h. The pieces of a content may be added in any order. Several threads may add
 * pieces, each with its own registers, which are merged.
 *
 * The pieces are pieces of the normal form if the content is a text.
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

#include "base/basic/byte_order.h"
#include "core/piece_collector.h"
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
	struct piece_collector *pieces; /* borrowed; collects the pieces of the hits; or NULL */
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

/* Is this the sketch of a text? */
static inline bool resemblance_is_text(const struct simhash_resemblance_sketch *sketch)
{
	return read_big_endian(sketch->text, 8) > 0;
}

/* The share of the smaller content that is in the larger one, from their sketched sizes. */
double resemblance_containment(double resemblance, int64_t size_a, int64_t size_b);

/* The size of the sketched bytes of a content: of its normal form if it is a text. */
static inline int64_t resemblance_size(const struct simhash_resemblance_sketch *sketch,
				       int64_t size_bytes)
{
	return resemblance_is_text(sketch) ? (int64_t)read_big_endian(sketch->text, 8) : size_bytes;
}

/* A sketch is stored and sent as its first bytes: the registers, and for a text also `text`. */
#define RESEMBLANCE_STORED_SIZE SIMHASH_RESEMBLANCE_REGISTERS
#define RESEMBLANCE_STORED_TEXT_SIZE (SIMHASH_RESEMBLANCE_REGISTERS + SIMHASH_RESEMBLANCE_TEXT)

static inline size_t resemblance_stored_size(const struct simhash_resemblance_sketch *sketch)
{
	return resemblance_is_text(sketch) ? RESEMBLANCE_STORED_TEXT_SIZE : RESEMBLANCE_STORED_SIZE;
}

/* Read such bytes. False if they are not the bytes of a sketch. */
bool resemblance_load(const void *bytes, size_t size, struct simhash_resemblance_sketch *sketch);

/* Is a content with these first bytes a text? They are TEXT_HEAD bytes, or all bytes. */
bool resemblance_is_of_text(const void *bytes, size_t size);

/*
 * From the next content on, also collect its pieces. The collector is borrowed; it has the pieces
 * when the sketch is finished.
 */
void resemblance_scanner_collect(struct simhash_resemblance_scanner *scanner,
				 struct piece_collector *pieces, struct piece_levels levels);

/* Compute the sketch of a whole content, in the memory of a scanner, which begins it. */
void resemblance_scanner_compute(struct simhash_resemblance_scanner *scanner, const void *bytes,
				 size_t size_bytes, struct simhash_resemblance_sketch *sketch);

/*
 * Update a scanner with `size` zero bytes, which are at `zeros`. After the first ones, only the hash
 * of a text takes time.
 */
void resemblance_scanner_add_zeros(struct simhash_resemblance_scanner *scanner,
				   const uint8_t *zeros, size_t size);

/* After this number of hits in a block, no further group of its positions is examined. */
size_t resemblance_hits_max(unsigned level);

/* Begin without a collector of pieces. */
void resemblance_begin(struct resemblance_registers *registers);

/*
 * Add the shingles that begin at the bytes 0 .. size - SHINGLE_SIZE of a piece. `offset` is its
 * place in the content, a multiple of RESEMBLANCE_BLOCK. Consecutive pieces overlap by
 * SHINGLE_OVERLAP bytes.
 */
void resemblance_add(struct resemblance_registers *registers, unsigned level, uint64_t offset,
		     const uint8_t *bytes, size_t size_bytes);

/* Merge `other` into `registers`, but not their pieces. Both must have the same level. */
void resemblance_merge(struct resemblance_registers *registers,
		       const struct resemblance_registers *other);

/* Complete a sketch of a content that is not a text. */
void resemblance_finish(const struct resemblance_registers *registers,
			struct simhash_resemblance_sketch *sketch);

#endif
