/*
 * Reads the blocks of a stream of rows ahead: another thread reads the next block while the caller
 * works on the present one.
 *
 *     read_ahead_begin(&ahead, &stream, threads > 1);
 *     while ((status = read_ahead_next(&ahead, &block, &error)) == 1) {
 *             ...
 *             block_free(block);
 *     }
 *     read_ahead_end(&ahead);         // then the stream may be released
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_READ_AHEAD_H
#define SIMHASH_FIND_READ_AHEAD_H

#include "find/pairs/block.h"

struct read_ahead {
	struct row_stream *stream;
	pthread_t thread;
	bool has_thread; /* else blocks are read when they are asked for */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ready; /* what follows is the next block, or the end */
	bool is_ended; /* no more are wanted */
	struct block *block;
	int status;
	struct simhash_error error;
};

/* Where no thread can be had, goes without. Borrows the stream, and its store, until the end. */
void read_ahead_begin(struct read_ahead *ahead, struct row_stream *stream, bool with_thread);

/* As row_stream_next. */
int read_ahead_next(struct read_ahead *ahead, struct block **block, struct simhash_error *error);

void read_ahead_end(struct read_ahead *ahead);

#endif
