/*
 * A stream of rows in the order of the key uniform, cut into blocks. A block holds some new
 * rows, and before them the earlier rows that may be a pair with a new one, so that it can
 * be searched without any other. Rows of the same content are one row with copies.
 *
 *     row_stream_init(&stream, finder, low, high);
 *     while (row_stream_next(&stream, &block, &error) == 1) {
 *             // compare rows first_new .. count - 1 with all before them
 *             block_free(block);
 *     }
 *     row_stream_release(&stream);
 *
 * Several threads may take blocks of one stream under a common lock. A block belongs to
 * the thread that took it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_BLOCK_H
#define SIMHASH_FIND_BLOCK_H

#include "find/finder.h"
#include "find/sorted_rows.h"
#include "store/row_stream.h"

struct block {
	struct find_file *rows;
	size_t count, capacity;
	size_t first_new;     /* rows before it belong to earlier blocks */
	uint64_t rows_read;   /* new ones, copies included */
	uint64_t unsketched;  /* of them */
	uint64_t passed_over; /* new rows that the request is not about */
	struct arena arena;
	size_t new_copies;
};

void block_free(struct block *block);

struct row_stream {
	const struct finder *finder;
	int64_t low, high; /* of the part, both included */
	struct store *store;
	bool looks_up; /* each row by the index of uniform: for a small part of the rows */
	bool has_begun, has_ended;
	bool takes_all;	  /* into one block, however many */
	bool carries_key; /* only rows of the key that goes on, whose copies may be still to come */
	bool keeps_extensions; /* a copy has the extension of its twin */
	struct sorted_rows sorted;
	struct find_file first; /* of the part, if it is still to be taken */
	bool has_first;
	struct row_cursor *cursor; /* of rows that are looked up */
	struct arena shown;	   /* of the last of them */
	struct block *next;	   /* what the next block begins with */
	int64_t last_key;	   /* of the last row taken */
	/* Rows of the present key by content: numbers in `next`, from 1. */
	uint32_t *slots;
	size_t slot_count, slots_used, run_start;
	int64_t run_key;
};

/*
 * A stream of the rows whose keys are in a range. Streams of neighbouring ranges share no row and
 * leave none out. Occupies the connection of the finder, unless `store` is set to another.
 */
void row_stream_init(struct row_stream *stream, const struct finder *finder, int64_t low,
		     int64_t high);
void row_stream_release(struct row_stream *stream);

/*
 * Do two rows have the same content, and nothing that could make one a pair with a third and the
 * other not?
 */
bool rows_are_twins(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y);

/* A copy as a file of its own: its twin's counts under its own path. */
struct find_file copy_as_file(const struct find_file *twin, const struct file_copy *copy);

/* The next block: 1, 0 after the last, -1 for an error. */
int row_stream_next(struct row_stream *stream, struct block **block, struct simhash_error *error);

#endif
