/*
 * A stream of rows in the order of the key uniform, cut into blocks. Rows of the same content are
 * one row with copies.
 *
 *     row_stream_init(&stream, finder, low, high);
 *     while (row_stream_next(&stream, &block, &error) == 1) {
 *             // rows first_new .. count - 1
 *             block_free(block);
 *     }
 *     row_stream_release(&stream);
 *
 * Several threads may read parts of a stream whose rows have been read:
 *
 *     row_stream_read(&stream, &error);
 *     row_stream_init_part(&part, &stream, &range);   // and row_stream_next() as above
 *     row_stream_take_back(&part, block);             // instead of block_free(block)
 *     row_stream_end(&part);
 *     row_stream_init_part(&part, &stream, &next);    // in the memory that the last one took
 *
 * If the caller looks at each block only once, set part.keeps_blocks = true before the first block. Then
 * the stream keeps its blocks: a block is valid until the next is asked for and is not to be freed,
 * and the part keeps only enough of a key's earlier rows to recognize their copies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_BLOCK_H
#define SIMHASH_FIND_BLOCK_H

#include "base/data/slots.h"
#include "find/rows/sorted_rows.h"
#include "find/rule/finder.h"

struct block {
	struct find_file *rows;
	size_t count, capacity;
	/* Rows before it were in earlier blocks: of a key that goes on, so that copies find them. */
	size_t first_new;
	uint64_t rows_read;   /* new ones, copies included */
	uint64_t unsketched;  /* of them */
	uint64_t passed_over; /* new rows that the request is not about */
	struct arena arena;
	size_t new_copies;
};

void block_free(struct block *block);

/* The part of a row that finds its copies after its block was passed on. */
struct passed_row {
	uint8_t content_hash[CONTENT_HASH_SIZE];
	uint64_t counts; /* a seeded hash of them */
	int64_t size_bytes;
	uint32_t tolerance, extension_hash;
	uint8_t sides;
	bool has_sketch;
};

struct row_stream {
	const struct finder *finder;
	struct row_range range;
	bool looks_up;	   /* each row by the index of uniform: for a small part of them */
	bool keeps_blocks; /* see above */
	bool has_begun, has_ended;
	size_t block_rows;     /* new ones in a block; more where copies are wanted together */
	bool keeps_extensions; /* of a copy: else it has that of its twin */
	struct sorted_rows own_rows;
	const struct sorted_rows *rows; /* NULL: still to be read */
	struct sorted_cursor cursor;
	struct block *next;  /* what the next block begins with */
	struct block *spare; /* or NULL: memory for it */
	int64_t last_key;    /* of the last row taken */
	/* The row behind a block that is with the caller. */
	struct find_file waiting;
	bool is_out;
	/* Rows of the present key by content: numbers in the run, from 1; those that were passed on first. */
	struct passed_row *passed;
	size_t passed_count, passed_capacity;
	struct slots slots;
	size_t run_start;
	int64_t run_key;
};

/*
 * A stream of the rows whose keys are in a range. Streams of neighbouring ranges share no row and
 * leave none out. Reads with the connection of the finder, and others beside it, at its begin.
 */
void row_stream_init(struct row_stream *stream, const struct finder *finder, int64_t low,
		     int64_t high);

/* Read the rows, unless that was done. Else the first row_stream_next() does it. */
int row_stream_read(struct row_stream *stream, struct simhash_error *error);

/*
 * Those rows of a stream that are in a range, whatever its own. The rows of the stream must have
 * been read. `part` is all zero, or was a part of the same stream and has been ended: it then
 * goes on with the memory for blocks, as touching new memory takes longer than filling it. Any
 * number of threads may have such parts of one.
 */
void row_stream_init_part(struct row_stream *part, const struct row_stream *of,
			  const struct row_range *range);

void row_stream_release(struct row_stream *stream);

/*
 * Do two rows have the same content, and nothing that could make one a pair with a third and the
 * other not?
 */
bool rows_are_twins(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y);

/* A copy as a file of its own: its twin's counts under its own path. */
struct find_file copy_as_file(const struct find_file *twin, const struct file_copy *copy);

/* Free what a part read its rows with, and keep its memory for blocks. */
void row_stream_end(struct row_stream *part);

/*
 * A block of the stream that is no longer needed: its memory is used for another, unless that has
 * begun.
 */
void row_stream_take_back(struct row_stream *stream, struct block *block);

/* The next block: 1, 0 after the last, -1 for an error. */
int row_stream_next(struct row_stream *stream, struct block **block, struct simhash_error *error);

#endif
