/*
 * A stream of rows in the order of a key, cut into blocks. A block holds some new
 * rows, and before them the earlier rows that a new row can still be a pair with, so
 * it can be searched without any other. Rows of one content are one row with copies.
 *
 *     row_stream_init(&stream, finder, part, parts);
 *     row_stream_bounds(&stream, &error);
 *     while (row_stream_next(&stream, &block, &error) == 1) {
 *             ... compare rows first_new .. count - 1 with all before them ...
 *             block_free(block);
 *     }
 *     row_stream_release(&stream);
 *
 * Several threads may take blocks of one stream, under a lock of theirs; a block
 * belongs to who took it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_BLOCK_H
#define SIMHASH_FIND_BLOCK_H

#include "find/arena.h"
#include "find/find.h"

struct block {
	struct find_file *rows;
	size_t count, capacity;
	size_t first_new;   /* rows before it belong to earlier blocks */
	uint64_t rows_read; /* new ones, copies included */
	struct arena arena;
	size_t new_copies;
};

void block_free(struct block *block);

struct row_stream {
	const struct finder *finder;
	unsigned part, parts;
	enum simhash_key order; /* the key that orders the rows */
	bool collapse;		/* rows of one content are one */
	/* How far beyond its own key a row can have a partner. */
	int64_t (*reach)(const struct find_rule *rule, const struct find_file *file);
	struct store *store;
	bool owns_store, has_begun, has_ended;
	struct row_cursor *cursor;
	struct block *next; /* what the next block begins with */
	int64_t low, high;  /* of the part, both included */
	int64_t last_key;   /* of the last row taken */
	/* Rows of the present key by content: numbers in `next`, from 1. */
	uint32_t *slots;
	size_t slot_count, slots_used, run_start;
	int64_t run_key;
};

/* The search by sum tables: in the order of uniform, collapsed. */
void row_stream_init(struct row_stream *stream, const struct finder *finder, unsigned part,
		     unsigned parts);
void row_stream_release(struct row_stream *stream);

/*
 * Find the keys of the part, by the stream's own store, which must be set. Streams whose
 * parts border on each other must do so at one time, or rows may fall between them.
 */
int row_stream_bounds(struct row_stream *stream, struct simhash_error *error);

/* The next block: 1, 0 after the last, -1 for an error. */
int row_stream_next(struct row_stream *stream, struct block **block, struct simhash_error *error);

#endif
