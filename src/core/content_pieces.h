/*
 * Defines the pieces of a content: a sample of its shingles with a fixed density, so that a content
 * can be found inside any larger one (FracMinHash; docs/algorithm.md), and their stored form.
 * find/query/queried_parts.h compares contents by their pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_CONTENT_PIECES_H
#define SIMHASH_CORE_CONTENT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIECE_BITS 48 /* the rank of a shingle, 16 bits, and 32 bits of its hash */
#define PIECES_MAX 65536
#define PIECES_MIN 64
#define PIECE_LEVEL_MAX (PIECE_BITS - 1)
/* Contents with a lower level of the sketch, of fewer than 2,063 bytes, have no pieces. */
#define PIECE_LEVEL_MIN 2

/*
 * All different values of a content below piece_bound(level), ascending. So one of 2^level
 * different shingles is a piece.
 */
struct content_pieces {
	unsigned level; /* at most PIECE_LEVEL_MAX */
	size_t count;	/* at most PIECES_MAX */
	const uint64_t *values;
};

static inline uint64_t piece_bound(unsigned level)
{
	return UINT64_C(1) << (PIECE_BITS - level);
}

/* ---- The stored form ---- */

/* The number of bytes that content_pieces_store may write for this number of pieces. */
#define PIECES_STORED_MAX(count) (2 + 7 * (size_t)(count) + 8)

/* Write the stored form to `bytes`, which has room for it. Returns its size. */
size_t content_pieces_store(const struct content_pieces *pieces, uint8_t *bytes);

/*
 * Read a stored form into *pieces. `values` has room for PIECES_MAX of them, and is borrowed by
 * *pieces. False if the bytes are not a stored form: bytes of strangers are safe.
 */
bool content_pieces_load(const void *bytes, size_t size, uint64_t *values,
			 struct content_pieces *pieces);

/*
 * Reads a stored form in steps, because its first pieces often decide:
 *
 *     if (pieces_reader_begin(&reader, bytes, size, values))
 *             state = pieces_reader_next(&reader, count, value);   // reader.pieces
 *
 * The bytes are borrowed.
 */
struct pieces_reader {
	struct content_pieces pieces; /* all that were read */
	/* The other members are private. */
	uint64_t *values;
	const uint8_t *next, *end;
	/* Only `bit_count` of them are valid; the others are also of the input, or zero. */
	uint64_t bits;
	unsigned bit_count, lower;
	uint64_t least; /* the least possible value of the next piece */
	enum pieces_state { PIECES_LEFT, PIECES_END, PIECES_DAMAGED } state;
};

/* The arguments and the result are the same as for content_pieces_load. */
bool pieces_reader_begin(struct pieces_reader *reader, const void *bytes, size_t size,
			 uint64_t *values);

/* Right after the beginning: the stored form does not have more pieces than this. */
size_t pieces_reader_most(const struct pieces_reader *reader);

/*
 * Read on until at least `count` pieces, and all pieces up to `value`, were read. Returns the state,
 * which does not change after the end or after damage.
 */
enum pieces_state pieces_reader_next(struct pieces_reader *reader, size_t count, uint64_t value);

#endif
