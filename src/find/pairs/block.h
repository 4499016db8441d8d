/*
 * Reads rows in the order of the key uniform as a stream, and cuts the stream into blocks. Files
 * with the same content are one row with copies.
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
 *     row_stream_init_part(&part, &stream, &next);    // reuses the memory of the last part
 *
 * If the caller needs only one block at a time, it sets part.keeps_blocks = true before the first
 * block. Then a block is valid only until the next call, and the caller must not free it. Of the
 * earlier rows with the current key, the part stores only enough to recognize their copies.
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
	/*
	 * The first row that is new in this block. The rows before it were also in the previous
	 * block: they have the same key as the new rows, which may be copies of them.
	 */
	size_t first_new;
	uint64_t rows_read;   /* the number of new rows, including copies */
	uint64_t unsketched;  /* the number of these rows without a sketch */
	uint64_t passed_over; /* the number of new rows that the request does not cover */
	struct arena arena;
	size_t new_copies;
};

void block_free(struct block *block);

/* The data of a row by which its copies are recognized after its block was returned. */
struct passed_row {
	uint8_t content_hash[CONTENT_HASH_SIZE];
	uint64_t counts; /* a seeded hash of the counts */
	int64_t size_bytes;
	uint32_t tolerance, extension_hash;
	uint8_t sides;
	bool has_sketch;
};

struct row_stream {
	const struct finder *finder;
	struct row_range range;
	bool looks_up;	   /* read rows by the index of uniform, because few of them are needed */
	bool keeps_blocks; /* see above */
	bool has_begun, has_ended;
	/* The number of new rows in a block; more if all copies must be in one block. */
	size_t block_rows;
	bool keeps_extensions; /* a copy with another extension than its twin is a separate row */
	struct sorted_rows own_rows;
	const struct sorted_rows *rows; /* NULL: the rows were not read yet */
	struct sorted_cursor cursor;
	struct block *next;  /* the beginning of the next block */
	struct block *spare; /* memory for the next block, or NULL */
	int64_t last_key;    /* the key of the last row */
	/* With keeps_blocks: the first row after the block that the caller uses. */
	struct find_file waiting;
	bool is_out;
	/*
	 * The rows with the current key. They are numbered from 1, and rows of returned blocks come
	 * first. `slots` finds the number of a row by its content.
	 */
	struct passed_row *passed;
	size_t passed_count, passed_capacity;
	struct slots slots;
	size_t run_start;
	int64_t run_key;
};

/*
 * Prepare a stream of the rows with keys from `low` to `high`. Streams of adjacent ranges together
 * have every row once. The first call of row_stream_next() reads the rows with the finder's
 * connection and additional ones.
 */
void row_stream_init(struct row_stream *stream, const struct finder *finder, int64_t low,
		     int64_t high);

/*
 * Read the rows now, unless they were read before. Otherwise the first row_stream_next() reads
 * them.
 */
int row_stream_read(struct row_stream *stream, struct simhash_error *error);

/*
 * Prepare a part: those rows of a stream that are in another range. The rows of the stream must
 * have been read. `part` is all zero, or an earlier part of the same stream after row_stream_end().
 * Then it reuses the memory for blocks, because using new memory takes longer than filling it. Any
 * number of threads may read parts of one stream.
 */
void row_stream_init_part(struct row_stream *part, const struct row_stream *of,
			  const struct row_range *range);

void row_stream_release(struct row_stream *stream);

/*
 * Are two rows twins? Twins have the same content, and every file that is a pair with one of them
 * is a pair with the other.
 */
bool rows_are_twins(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y);

/* Make a file from a copy: it has the counts of its twin and its own path. */
struct find_file copy_as_file(const struct find_file *twin, const struct file_copy *copy);

/* End reading a part, but keep its memory for blocks. */
void row_stream_end(struct row_stream *part);

/*
 * Return a block that is no longer needed. The stream reuses its memory, unless the next block has
 * already begun.
 */
void row_stream_take_back(struct row_stream *stream, struct block *block);

/* Get the next block. Returns 1, 0 after the last one, or -1 for an error. */
int row_stream_next(struct row_stream *stream, struct block **block, struct simhash_error *error);

#endif
