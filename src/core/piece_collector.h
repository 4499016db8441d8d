/*
 * Collects the pieces of a content while the kernels sample its shingles; see content_pieces.h.
 *
 *     piece_collector_begin(&collector, level);
 *     registers.pieces = &collector;             // then resemblance_add, any number of times
 *     if (piece_collector_finish(&collector, &pieces))
 *             size = content_pieces_store(&pieces, bytes);
 *     piece_collector_release(&collector);
 *
 * Parts of a content can have their own collectors, which are merged. The result does not depend on
 * the parts. A collector takes about 200 KiB of memory, and at most 3.3 MiB for contents with many
 * pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_PIECE_COLLECTOR_H
#define SIMHASH_CORE_PIECE_COLLECTOR_H

#include "core/content_pieces.h"

/* The levels of pieces that are wanted; see content_pieces.h. */
struct piece_levels {
	unsigned text, other; /* of the normal form of a text, and of other contents */
	bool small;	      /* also collect the pieces of contents below PIECE_LEVEL_MIN */
};
#define PIECE_LEVELS_DEFAULT           \
	{                              \
		.text = 8, .other = 12 \
	}

/* Zeros are a collector without memory. */
struct piece_collector {
	/* All values of hits up to this one are collected; a value of 64 bits. */
	uint64_t last;
	unsigned level;	  /* the level of this bound */
	unsigned wanted;  /* the level of the pieces, if there are enough of them */
	unsigned sampled; /* the level of the content's sketch; resemblance_add sets it */
	bool takes_small; /* also if the content's sketch is below PIECE_LEVEL_MIN */
	bool has_failed;  /* memory was short */
	/* The collected values in any order, repeated ones too; three arrays of limit + 1 values. */
	uint64_t *values;
	size_t count, limit;
};

/* Begin a content. */
void piece_collector_begin(struct piece_collector *collector, unsigned wanted_level);
void piece_collector_release(struct piece_collector *collector);

/*
 * Before at most `more` values are added: make room. False if memory is short; then nothing is
 * added.
 */
bool piece_collector_grow(struct piece_collector *collector, size_t more);
static inline bool piece_collector_room(struct piece_collector *collector, size_t more)
{
	return collector->count + more <= collector->limit || piece_collector_grow(collector, more);
}

/* Add the pieces of `other`, another part of the same content. */
void piece_collector_merge(struct piece_collector *collector, const struct piece_collector *other);

/*
 * Get the pieces of all values so far. They live until the next call for this collector, and
 * collecting can continue. False if memory was short.
 */
bool piece_collector_finish(struct piece_collector *collector, struct content_pieces *pieces);

#endif
