/*
 * Stores and reads the pieces of contents. The stored form is the level, the number of
 * lower bits, and then the difference of each piece from the next possible value in a Rice code:
 * the upper part of the difference as ones and a zero, then its lower bits, from the lowest bit of
 * each byte on. Ones fill the last byte.
 * SPDX-License-Identifier: MIT
 */
#include "core/content_pieces.h"

#include <string.h>

#define HEAD 2 /* the level, and the number of lower bits */

/* Between the order of the machine and the order in which the first byte is the lowest. */
static inline uint64_t in_order(uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(bytes);
#else
	return bytes;
#endif
}

/* ---- Writing ---- */

struct bit_writer {
	uint8_t *next;
	uint64_t bits; /* that are not yet written, at most 7 between two calls */
	unsigned count;
};

/* Write at most 48 bits. Also writes bytes after them. */
static void put(struct bit_writer *writer, uint64_t bits, unsigned count)
{
	uint64_t bytes;

	writer->bits |= bits << writer->count;
	writer->count += count;
	bytes = in_order(writer->bits);
	memcpy(writer->next, &bytes, sizeof bytes);
	writer->next += writer->count / 8;
	writer->bits >>= writer->count / 8 * 8;
	writer->count %= 8;
}

static void put_ones(struct bit_writer *writer, uint64_t count)
{
	for (; count > 32; count -= 32)
		put(writer, UINT32_MAX, 32);
	put(writer, (UINT64_C(1) << count) - 1, (unsigned)count);
}

/* Return the best number of lower bits: with it the upper part of a mean difference is 1. */
static unsigned lower_bits(const struct content_pieces *pieces)
{
	uint64_t mean = pieces->count == 0 ? 1 : piece_bound(pieces->level) / pieces->count;

	return mean == 0 ? 0 : 63 - (unsigned)__builtin_clzll(mean);
}

size_t content_pieces_store(const struct content_pieces *pieces, uint8_t *bytes)
{
	unsigned lower = lower_bits(pieces);
	struct bit_writer writer = {.next = bytes + HEAD};
	uint64_t least = 0; /* the least possible value of the next piece */

	bytes[0] = (uint8_t)pieces->level;
	bytes[1] = (uint8_t)lower;
	for (size_t i = 0; i < pieces->count; i++) {
		uint64_t difference = pieces->values[i] - least;
		put_ones(&writer, difference >> lower);
		put(&writer, 0, 1);
		put(&writer, difference & ((UINT64_C(1) << lower) - 1), lower);
		least = pieces->values[i] + 1;
	}
	if (writer.count > 0)
		put_ones(&writer, 8 - writer.count);
	return (size_t)(writer.next - bytes);
}

/* ---- Reading ---- */

static inline void fill(struct pieces_reader *reader)
{
	uint64_t bytes;

	if (reader->end - reader->next >= (ptrdiff_t)sizeof bytes) {
		unsigned taken = (63 - reader->bit_count) / 8;
		memcpy(&bytes, reader->next, sizeof bytes);
		reader->bits |= in_order(bytes) << reader->bit_count;
		reader->next += taken;
		reader->bit_count += 8 * taken;
		return;
	}
	while (reader->bit_count < 56 && reader->next < reader->end) {
		reader->bits |= (uint64_t)*reader->next++ << reader->bit_count;
		reader->bit_count += 8;
	}
}

static inline void drop(struct pieces_reader *reader, unsigned count)
{
	reader->bits >>= count;
	reader->bit_count -= count;
}

/* Count and drop ones, and the zero after them. False if the bits end before a zero. */
static inline bool take_ones(struct pieces_reader *reader, uint64_t *ones)
{
	for (*ones = 0;;) {
		unsigned here;
		fill(reader);
		here = ~reader->bits == 0 ? 64 : (unsigned)__builtin_ctzll(~reader->bits);
		if (here < reader->bit_count) {
			*ones += here;
			drop(reader, here + 1);
			return true;
		}
		*ones += reader->bit_count;
		reader->bits = 0;
		reader->bit_count = 0;
		if (reader->next == reader->end)
			return false;
	}
}

/* False if fewer bits are left. */
static inline bool take(struct pieces_reader *reader, unsigned count, uint64_t *bits)
{
	if (reader->bit_count < count)
		fill(reader);
	if (reader->bit_count < count)
		return false;
	*bits = reader->bits & ((UINT64_C(1) << count) - 1);
	drop(reader, count);
	return true;
}

bool pieces_reader_begin(struct pieces_reader *reader, const void *bytes, size_t size,
			 uint64_t *values)
{
	const uint8_t *head = bytes;

	*reader = (struct pieces_reader){.pieces = {.values = values}, .values = values};
	if (size < HEAD || head[0] > PIECE_LEVEL_MAX || head[1] > PIECE_BITS)
		return false;
	reader->pieces.level = head[0];
	reader->lower = head[1];
	reader->next = head + HEAD;
	reader->end = head + size;
	return true;
}

size_t pieces_reader_most(const struct pieces_reader *reader)
{
	size_t most = 8 * (size_t)(reader->end - reader->next) / (reader->lower + 1);

	return most < PIECES_MAX ? most : PIECES_MAX;
}

/* Read the next piece, and change the state if there is none. */
static inline void take_piece(struct pieces_reader *reader, uint64_t bound)
{
	uint64_t ones, low;

	if (!take_ones(reader, &ones)) {
		/* Ones fill the last byte. */
		reader->state = ones < 8 ? PIECES_END : PIECES_DAMAGED;
		return;
	}
	if (reader->pieces.count == PIECES_MAX || !take(reader, reader->lower, &low) ||
	    ones > (bound - 1) >> reader->lower ||
	    low + (ones << reader->lower) >= bound - reader->least) {
		reader->state = PIECES_DAMAGED;
		return;
	}
	low += (ones << reader->lower) + reader->least;
	reader->values[reader->pieces.count++] = low;
	reader->least = low + 1;
}

enum pieces_state pieces_reader_next(struct pieces_reader *reader, size_t count, uint64_t value)
{
	/* A copy can stay in registers while values are written. */
	struct pieces_reader now = *reader;
	uint64_t bound = piece_bound(now.pieces.level);

	while (now.state == PIECES_LEFT && (now.pieces.count < count || now.least <= value))
		take_piece(&now, bound);
	*reader = now;
	return now.state;
}

bool content_pieces_load(const void *bytes, size_t size, uint64_t *values,
			 struct content_pieces *pieces)
{
	struct pieces_reader reader;
	bool is_stored = pieces_reader_begin(&reader, bytes, size, values) &&
			 pieces_reader_next(&reader, SIZE_MAX, UINT64_MAX) == PIECES_END;

	*pieces = reader.pieces;
	return is_stored;
}
