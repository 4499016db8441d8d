/*
 * A piece of a stream that is scanned before the bytes in front of it, so that several threads can
 * scan one file. Its first state is guessed like the first state of a lane (scan_bytes.h), and
 * corrected when the piece is appended to the part that precedes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_PIECE_H
#define SIMHASH_CORE_PIECE_H

#include <stdbool.h>

#include "simhash.h"

#define PIECE_HEAD 512 /* bytes, within which the guess mostly meets the truth */

struct scan_piece {
	struct simhash_scanner scanner;
	uint64_t guess;
	size_t head_size;
	uint8_t head[PIECE_HEAD];
};

/* Scan `size` bytes, of which at least two come before, at before[0] and before[1]. */
void scan_piece(struct scan_piece *piece, const struct simhash_tag_set *tag_set,
		const uint8_t before[2], const uint8_t *bytes, size_t size);

/*
 * Append the piece to `whole`, which has scanned all before it. False, and
 * nothing done, when the guess did not meet the truth in the head of the piece:
 * then its bytes must be given to `whole` as they are.
 */
bool scan_piece_append(struct simhash_scanner *whole, const struct scan_piece *piece);

#endif
