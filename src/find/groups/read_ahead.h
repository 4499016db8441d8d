/*
 * Reads the blocks of a stream of rows ahead: another thread reads the next block while the caller
 * works on the current one.
 *
 *     read_ahead_begin(&ahead, &stream, threads > 1);
 *     while ((status = read_ahead_next(&ahead, &block, &error)) == 1) {
 *             ...
 *             block_free(block);
 *     }
 *     read_ahead_end(&ahead);         // the stream may be released after this
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_READ_AHEAD_H
#define SIMHASH_FIND_READ_AHEAD_H

#include "find/pairs/block.h"

struct read_ahead {
	struct row_stream *stream;
	pthread_t thread;
	bool has_thread; /* false: blocks are read when they are needed */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ready; /* the next block, or the end, is ready */
	bool is_ended; /* the caller wants no more blocks */
	struct block *block;
	int status;
	struct simhash_error error;
};

/*
 * Works without a thread if none can be started. The stream and its store must stay valid until the
 * end.
 */
void read_ahead_begin(struct read_ahead *ahead, struct row_stream *stream, bool with_thread);

/* The same as row_stream_next. */
int read_ahead_next(struct read_ahead *ahead, struct block **block, struct simhash_error *error);

void read_ahead_end(struct read_ahead *ahead);

#endif
