/*
 * Scans a piece of a stream before the previous bytes, so several threads can scan one file. The
 * first state is guessed in the same way as for a lane (scan_bytes.h), and corrected when the piece
 * is appended to the previous part.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_PIECE_H
#define SIMHASH_CORE_PIECE_H

#include <stdbool.h>

#include "simhash.h"

#define PIECE_HEAD 512 /* bytes within which the guess usually becomes right */

struct scan_piece {
	struct simhash_scanner scanner;
	uint64_t guess;
	size_t head_size;
	uint8_t head[PIECE_HEAD];
};

/* Scan `size` bytes. The stream has at least two bytes before them, before[0] and before[1]. */
void scan_piece(struct scan_piece *piece, const struct simhash_tag_set *tag_set,
		const uint8_t before[2], const uint8_t *bytes, size_t size);

/*
 * Append the piece to `whole`, which has scanned all bytes before it. If the guess did not become
 * right in the head of the piece, does nothing and returns false; then `whole` must scan the bytes
 * itself.
 */
bool scan_piece_append(struct simhash_scanner *whole, const struct scan_piece *piece);

/* Scan `size` zero bytes without memory for them, in a time that does not depend on `size`. */
void scan_zeros(struct simhash_scanner *scanner, size_t size);

#endif
